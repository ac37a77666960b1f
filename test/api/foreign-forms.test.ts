import { createHash, randomUUID } from 'node:crypto'
import { type Cheerio, load } from 'cheerio'
import { beforeAll, describe, expect, test } from 'vitest'
import { dashboardPaths } from '../../api/dashboard/dashboard.ts'
import { NIL_UUID } from '../../pipeline/core/uuid-v7.ts'
import { Operation } from '../../pipeline/model/submission.ts'
import { listTables } from '../../pipeline/store/table-files.ts'
import {
  enterDashboard,
  obtainTokens,
  openWithSignIn,
  publishPreviewed,
  sendForm,
  type TestBrowser,
} from '../support/clients/signing-in.ts'
import { createPasskey } from '../support/clients/software-authenticator.ts'
import { buildMirrorFile } from '../support/fixtures/mirrors.ts'
import { buildMemberOperations } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const DOMAIN = 'acme.example'
const HIDDEN_AGENT = 'https://hidden.acme.example/mcp'
const CREDENTIALS_KEY = Buffer.alloc(32, 5).toString('base64')
const CLIENT = {
  token_endpoint: 'https://login.acme.example/token',
  client_id: 'registry',
  client_secret: 'a long client secret',
  auth_method: 'basic',
}
const WEBHOOK = randomUUID()
const FILE = JSON.stringify({
  authorized_agents: [],
  properties: [
    {
      property_id: 'site',
      property_type: 'website',
      name: 'Taken over',
      identifiers: [{ type: 'domain', value: DOMAIN }],
      publisher_domain: DOMAIN,
    },
  ],
})
/** Texts that only members of Acme may read. */
const SECRETS = ['Acme Private', 'hidden.acme.example', 'erik@acme.example', 'Planning key']

/** A form of a page, with the values that its fields have there. */
interface PageForm {
  action: string
  fields: Record<string, string>
}

const registry = openForAll(() => openWithSignIn({ settings: { CREDENTIALS_KEY } }))
let ann: TestBrowser
let bob: TestBrowser
let moderator: TestBrowser
/** Organizations of Ann and of Bob. */
let acme: string
let other: string
const annId = { value: '' }
let invitation: string

beforeAll(async () => {
  ann = await enterDashboard(registry, 'ann@acme.example')
  bob = await enterDashboard(registry, 'bob@other.example')
  moderator = await enterDashboard(registry, 'mo@registry.example')
  acme = await found(ann, 'Acme Private')
  other = await found(bob, 'Other')
  annId.value = await readUserId(ann)
  await submit({
    op: 'role.grant',
    role: 'moderator',
    holder: 'user',
    id: await readUserId(moderator),
  })
  await enrolWithAgent(acme, [DOMAIN], HIDDEN_AGENT)
  await enrolWithAgent(other, ['other.example'], 'https://sales.other.example/mcp')
  await fillOrganization()
})

async function submit(operation: object): Promise<void> {
  const [answer] = await registry.submit(Operation.parse(operation))
  if (!answer || 'refused' in answer) throw new Error(answer?.refused)
}

async function found(browser: TestBrowser, name: string): Promise<string> {
  await sendForm(browser, '/dashboard/organizations', { name })
  return load((await browser.get('/dashboard')).body)('tbody a')
    .attr('href')!
    .split('/')[3]!
}

const readUserId = async (browser: TestBrowser) =>
  load((await browser.get('/dashboard/access')).body)('main code')
    .first()
    .text()

async function enrolWithAgent(org: string, domains: string[], url: string): Promise<void> {
  const tier = 'company_standard' as const
  const agents = [{ url, visibility: 'private' as const }]
  for (const operation of buildMemberOperations({ org, tier, domains, agents }))
    await submit(operation)
}

/** Sends a form of Ann's organization, which must succeed. */
async function sendOwn(path: string, form: Record<string, string>) {
  const url = path.startsWith('/dashboard') ? path : `/dashboard/org/${acme}${path}`
  const answer = await sendForm(ann, url, { org: acme, ...form })
  expect([path, answer.statusCode < 400], answer.body).toEqual([path, true])
  return answer
}

/** Sends an invitation to own Ann's organization; returns the token of its link. */
async function sendInvitation(email: string, role = 'owner'): Promise<string> {
  const { body } = await sendOwn('/people/invite', { email, role })
  return new URL(String(load(body)('#link').val())).searchParams.get('token')!
}

/** Makes one of everything that a form of the dashboard can name. */
async function fillOrganization(): Promise<void> {
  await sendOwn('/keys', { name: 'Planning key' })
  invitation = await sendInvitation('erik@acme.example')
  // The only owner could neither be removed nor get another role.
  const kim = await enterDashboard(registry, 'kim@acme.example')
  await sendForm(kim, '/dashboard/join', { token: await sendInvitation('kim@acme.example') })
  for (const name of ['Before', 'After'])
    await publishPreviewed(ann, {
      org: acme,
      domain: DOMAIN,
      text: FILE.replace('Taken over', name),
    })
  for (const brand_name of ['Acme', 'Acme Shoes'])
    await submit({
      op: 'brand.save',
      revision_id: randomUUID(),
      domain: DOMAIN,
      brand_name,
      brand_manifest: {},
      editor: { kind: 'user', id: annId.value, org_id: acme },
    })
  await obtainTokens(registry, 'ann@acme.example')
  const { id, publicKey } = createPasskey(annId.value)
  await submit({
    op: 'passkey.add',
    credential_id: id,
    user_id: annId.value,
    public_key: publicKey,
    counter: 0,
    transports: [],
    label: 'Phone',
  })
  const watch = { user_id: annId.value, email: 'erik@acme.example', most: 10 } as const
  await submit({
    op: 'watch.begin',
    watch_id: randomUUID(),
    ...watch,
    kind: 'domain',
    subject: DOMAIN,
    pace: 'daily',
  })
  await proposeMirror()
  await submit({
    op: 'agent.credential.save',
    agent_url: HIDDEN_AGENT,
    org_id: acme,
    auth_type: 'bearer',
    sealed_secret: 'sealed',
  })
  await addDisabledWebhook()
}

/** Adds a webhook to Ann's organization whose page has every form of one. */
async function addDisabledWebhook(): Promise<void> {
  const subscription_id = WEBHOOK
  await submit({
    op: 'subscription.create',
    subscription_id,
    org_id: acme,
    url: 'https://receiver.acme.example/changes',
    event_types: [],
    domains: [],
    agents: [],
    cursor: NIL_UUID,
    created_by: annId.value,
    most: 10,
  })
  await submit({ op: 'subscription.disable', subscription_id, reason: 'It did not answer.' })
}

/** Has an organization propose a mirror, about which a moderator decides. */
async function proposeMirror(): Promise<void> {
  const secret = `sk_${randomUUID()}`
  const hash = createHash('sha256').update(secret).digest('hex')
  await submit({ op: 'key.create', key_id: randomUUID(), org: acme, label: 'Proposer', hash })
  const answer = await registry.send('PUT', '/api/registry/mirrors/stillness', {
    key: secret,
    payload: buildMirrorFile('songs'),
  })
  expect(answer.statusCode, answer.body).toBe(202)
}

/** Reads the forms of a page; a text field that is empty gets a value that its type allows. */
function listForms(body: string): PageForm[] {
  const page = load(body)
  const toValue = (field: Cheerio<never>) => {
    const value = String(field.val() ?? '')
    if (value !== '') return value
    if (field.attr('type') === 'email') return 'eve@other.example'
    if (field.attr('name') === 'domain') return DOMAIN
    return field.attr('name') === 'text' ? FILE : 'x'
  }
  return page('main form[method=post]')
    .toArray()
    .map(form => {
      const fields = page(form)
        .find('input[name], select[name], textarea[name], button[name]')
        .toArray()
        .filter(({ attribs }) => attribs.name !== 'form_token')
        .map(field => [page(field).attr('name')!, toValue(page(field) as never)])
      return { action: page(form).attr('action')!, fields: Object.fromEntries(fields) }
    })
}

/** Lists the pages of Ann's organization, and those that concern something of it. */
async function listPages(): Promise<string[]> {
  const at = (path: string) => `/dashboard/org/${acme}${path}`
  const shown = dashboardPaths
    .filter(({ method, path }) => method === 'GET' && !/:id|sign|join/.test(path))
    .map(({ path }) => path.replace(':org', acme))
  const stop = at(`/entries/stop?domain=${DOMAIN}&kind=brand.json`)
  const entries = at(`/entries?domain=${DOMAIN}`)
  const restores = load((await ann.get(entries)).body)('main a:contains(Restore)').toArray()
  const versions = restores.map(({ attribs }) => attribs.href!)
  const edited = at(`/webhooks/edit?id=${WEBHOOK}`)
  return [...shown, entries, ...versions, stop, edited, `/dashboard/watches?brand=${DOMAIN}`]
}

/** Lists every form that Ann and a moderator see, as they would send it. */
async function collectForms(): Promise<PageForm[]> {
  const at = (path: string) => `/dashboard/org/${acme}${path}`
  const started = await sendOwn('/dashboard/verify', { domain: DOMAIN })
  const forms = listForms(started.body)
  for (const path of await listPages()) forms.push(...listForms((await ann.get(path)).body))
  const queue = load((await moderator.get('/dashboard/reviews')).body)
  const review = queue('tbody a').attr('href')!
  forms.push(...listForms((await moderator.get(review)).body))
  const token = { token: invitation }
  const previewed = createHash('sha256').update(`${DOMAIN}\n${FILE}`).digest('hex')
  const file = { kind: 'adagents.json', domain: DOMAIN, text: FILE, previewed }
  return [
    ...forms,
    { action: '/dashboard/join', fields: token },
    { action: at('/member'), fields: {} },
    // Shown once nothing else has to be removed first.
    { action: at('/settings/delete'), fields: {} },
    { action: at('/agents/tests/run'), fields: { url: HIDDEN_AGENT } },
    {
      action: at('/agents/tests/compare'),
      fields: { url: HIDDEN_AGENT, storyboard: 'signal_owned' },
    },
    {
      action: at('/agents/tests/token'),
      fields: { url: HIDDEN_AGENT, auth_token: 'a'.repeat(20) },
    },
    { action: at('/agents/tests/client-credentials'), fields: { url: HIDDEN_AGENT, ...CLIENT } },
    { action: at('/agents/tests/disconnect'), fields: { url: HIDDEN_AGENT } },
    { action: at('/entries/check-pointer'), fields: { domain: DOMAIN } },
    { action: at('/domains/end-others'), fields: { domain: DOMAIN } },
    { action: '/dashboard/publish', fields: { ...file, org: acme } },
    { action: '/dashboard/publish', fields: { ...file, org: other } },
  ]
}

/** Reads all that the stores hold of Ann and her organization. */
async function readState(): Promise<Record<string, unknown>> {
  const { accounts, index } = registry.sequencer
  const state: Record<string, unknown> = {}
  const owned = [
    ['org_id', acme],
    ['user_id', annId.value],
  ] as const
  for (const [column, id] of owned) {
    const tables = listTables('accounts').filter(table =>
      accounts.db.columns(table).some(({ name }) => name === column),
    )
    expect(tables.length).toBeGreaterThan(1)
    for (const table of tables)
      state[`${table} ${column}`] = accounts.db.all(
        `select * from ${table} where ${column} = $id order by rowid`,
        { id },
      )
  }
  for (const table of ['entries', 'revisions'])
    state[table] = await index.all(`select * from ${table} where domain = $domain order by rowid`, {
      domain: DOMAIN,
    })
  state.access = load((await ann.get('/dashboard/access')).body)('tbody').text()
  return state
}

/** Leaves out who saved the versions of a file: its history is public. */
function dropEditors(body: string): string {
  const page = load(body)
  page('td[data-label="By"], p:contains("was saved by") bdi').remove()
  return page.html()
}

/** Posts that name nothing that somebody could own. */
const NAMELESS = [
  '/dashboard/sign-out',
  '/dashboard/passkeys',
  '/dashboard/crawl',
  '/dashboard/delete',
]

test('no form that a member or a moderator sees has an effect on theirs when a stranger sends it', async () => {
  const forms = await collectForms()
  const toRoute = (action: string) =>
    action.replace(acme, ':org').replace(/(reviews)\/[^/]+$/, '$1/:id')
  const posts = dashboardPaths.filter(({ method }) => method === 'POST').map(({ path }) => path)
  const tried = new Set(forms.map(({ action }) => toRoute(action)))
  expect(posts.filter(path => !tried.has(path) && !NAMELESS.includes(path))).toEqual([])

  const before = await readState()
  expect(Object.values(before).flat().length).toBeGreaterThan(10)
  for (const { action, fields } of forms) {
    for (const url of new Set([action, action.replace(acme, other)])) {
      const answer = await sendForm(bob, url, { ...fields, sure: 'yes' })
      expect([url, answer.statusCode < 500], answer.body).toEqual([url, true])
      const sent = Object.values(fields).join()
      const shown = dropEditors(answer.body)
      for (const secret of SECRETS.filter(text => !sent.includes(text)))
        expect([url, shown.includes(secret) && secret]).toEqual([url, false])
      expect([url, await readState()]).toEqual([url, before])
    }
  }
})

test('the same forms have an effect when their owner sends them', async () => {
  const before = await readState()
  const [revoke] = (await collectForms()).filter(({ action }) => action.endsWith('/keys/revoke'))
  const fields = { ...revoke!.fields, sure: 'yes' }
  expect((await sendForm(ann, revoke!.action, fields)).statusCode).toBe(303)
  expect(await readState()).not.toEqual(before)
})

/** Pages of which nothing is left for those who may only view their organizations. */
const FOR_EDITORS =
  /^\/dashboard\/(?:agents|verify|publish|org\/[^/]+\/(?:entries\/(?:edit|stop)|webhooks\/edit))\b/

describe('who may only view an organization', () => {
  let vic: TestBrowser
  const at = (path: string) => `/dashboard/org/${acme}${path}`
  const NOTE = 'but not change anything for it. An owner can give you another role.'

  beforeAll(async () => {
    vic = await enterDashboard(registry, 'vic@acme.example')
    const token = await sendInvitation('vic@acme.example', 'viewer')
    await sendForm(vic, '/dashboard/join', { token })
    await sendOwn('/dashboard/verify', { domain: 'pending.example' })
  })

  test('founds no second organization by a form that is about the first', async () => {
    const before = await readState()
    const file = { kind: 'adagents.json', domain: DOMAIN, text: FILE }
    for (const [url, fields] of [
      ['/dashboard/verify', { domain: DOMAIN }],
      ['/dashboard/agents', { url: HIDDEN_AGENT, type: 'sales', visibility: 'private' }],
      ['/dashboard/publish', file],
    ] as const) {
      const answer = await sendForm(vic, url, { ...fields, organization_name: 'Second' })
      expect([url, answer.statusCode]).toEqual([url, 403])
      expect(load(answer.body)('main form')).toHaveLength(0)
    }
    expect(load((await vic.get('/dashboard')).body)('main tbody').text()).not.toContain('Second')
    expect(await readState()).toEqual(before)
  })

  test('is told so, by whom it can change, and sees no form or link that is refused for that', async () => {
    const more = [
      at('/entries?domain=new.example'),
      at(`/entries/edit?domain=${DOMAIN}`),
      at(`/agents/tests?url=${encodeURIComponent(HIDDEN_AGENT)}`),
      at(`/webhooks/deliveries?id=${WEBHOOK}`),
      `/dashboard/verify?domain=new.example&back=x`,
    ]
    const forms: PageForm[] = []
    for (const url of [...(await listPages()), ...more]) {
      const { body, statusCode } = await vic.get(url)
      if (statusCode === 303) continue
      const page = load(body)
      if (/\/org\/|verify|dashboard\/agents/.test(url))
        expect([url, page('main').text()]).toEqual([url, expect.stringContaining(NOTE)])
      const isForEditors = FOR_EDITORS.test(url) && !url.endsWith('/publish')
      expect([url, statusCode === 403]).toEqual([url, isForEditors])
      for (const { attribs } of page('main a[href^="/dashboard/"]').toArray()) {
        const { statusCode } = await vic.get(attribs.href!)
        expect([url, attribs.href, statusCode < 400]).toEqual([url, attribs.href, true])
      }
      forms.push(...listForms(body))
    }
    const sent = forms.filter(({ action }) => action !== at('/people/remove'))
    for (const { action, fields } of sent) {
      const { body, statusCode } = await sendForm(vic, action, { ...fields, sure: 'yes' })
      expect([action, statusCode === 403]).toEqual([action, false])
      expect([action, load(body)('[role=alert]').text()]).toEqual([
        action,
        expect.not.stringMatching(/viewers of/i),
      ])
    }
    const actions = sent.map(({ action }) => action)
    expect(actions).toContain('/dashboard/crawl')
    expect(actions.filter(action => action.startsWith('/dashboard/org/'))).toEqual([])
  })
})

/** Values that are refused, by the names of fields; any other text is left blank. */
const REFUSED: Readonly<Record<string, string>> = {
  domain: 'not a domain!',
  url: 'http://foo',
  email: 'nobody',
  text: '{',
}

/** Reads what a page shows of a form: its heading, the fields that a person can see, and what is in them. */
function readFormPage(body: string, names: readonly string[]) {
  const page = load(body)
  const isSame = (form: never) => names.every(name => page(form).find(`[name=${name}]`).length > 0)
  const form = page('main form[method=post]')
    .toArray()
    .find(each => isSame(each as never))
  const fields = page(form).find('input:not([type=hidden]), select, textarea').toArray()
  const values = fields.map(field => [field.attribs.name, String(page(field).val()).trim()])
  return { heading: page('h1').text(), values: Object.fromEntries(values) }
}

test('a refused form is shown again on the page that it was sent from, with what was entered', async () => {
  const at = (path: string) => `/dashboard/org/${acme}${path}`
  const kinds = ['adagents.json', 'brand.json']
  const editors = kinds.map(kind => at(`/entries/edit?domain=new.example&kind=${kind}`))
  const pages = dashboardPaths
    .filter(({ method, path }) => method === 'GET' && !/:id|sign|join/.test(path))
    .map(({ path }) => path.replace(':org', acme))
  const refused: string[] = []
  for (const path of [...pages, ...editors, at('/entries/edit?domain=acme.example')]) {
    const { body } = await ann.get(path)
    const page = load(body)
    for (const form of page('main form[method=post]').toArray()) {
      const typed = page(form).find('input[required]:not([type=hidden]), textarea').toArray()
      if (typed.length === 0) continue
      const sent = Object.fromEntries(
        page(form)
          .serializeArray()
          .map(({ name, value }) => [name, value]),
      )
      const names = typed.map(({ attribs }) => attribs.name!)
      for (const name of names) sent[name] = REFUSED[name] ?? ' '
      const answer = await sendForm(ann, page(form).attr('action')!, sent)
      expect([path, answer.statusCode >= 400 && answer.statusCode < 500]).toEqual([path, true])
      const { heading, values } = readFormPage(body, names)
      const entered = Object.keys(values).map(name => [name, (sent[name] ?? values[name])?.trim()])
      expect([path, readFormPage(answer.body, names)]).toEqual([
        path,
        { heading, values: Object.fromEntries(entered) },
      ])
      refused.push(path.replace(at(''), ''))
    }
  }
  expect(refused).toEqual(expect.arrayContaining(['/agents', '/domains', '/webhooks', '/keys']))
  expect(refused.filter(path => path.startsWith('/entries/edit'))).toHaveLength(3)
})
