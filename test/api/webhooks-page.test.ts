import { readFileSync } from 'node:fs'
import { load } from 'cheerio'
import { beforeAll, expect, test } from 'vitest'
import { Operation } from '../../pipeline/model/submission.ts'
import { PushState } from '../../pipeline/push/state.ts'
import {
  enterDashboard,
  openWithSignIn,
  sendForm,
  type TestBrowser,
} from '../support/clients/signing-in.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { openCrawledReceivers } from '../support/servers/crawled-receivers.ts'

const receivers = openForAll(openCrawledReceivers)
const registry = openForAll(() => openWithSignIn(receivers.registry))
let ann: TestBrowser
/** Path of the page. */
let webhooks: string

beforeAll(async () => {
  ann = await enterDashboard(registry, 'ann@acme.example')
  const made = await sendForm(ann, '/dashboard/organizations', { name: 'Acme' })
  webhooks = String(made.headers.location).replace(/\/domains.*$/, '/webhooks')
})

const read = async (url = webhooks) => load((await ann.get(url)).body)

async function create(host: string, form: Record<string, string> = {}) {
  const receiver = receivers.add(host)
  const answer = await sendForm(ann, webhooks, { url: receiver.url, ...form })
  return { receiver, answer, page: load(answer.body) }
}

/** Changes filters as only the API can. */
async function change(filters: object, subscription_id: string) {
  const org_id = webhooks.split('/')[3]!
  const operation = { op: 'subscription.change', subscription_id, org_id, ...filters }
  await registry.submit(Operation.parse(operation))
}

async function findRow(host: string) {
  const page = await read()
  const row = page('tbody tr').filter((_, each) => page(each).text().includes(host))
  const cells = row.find('th, td').toArray()
  return {
    id: String(row.find('input[name=id]').first().val()),
    texts: cells.map(cell => page(cell).text()),
    address: String(row.find('a').attr('href')),
  }
}

test('the menu of an organization leads to its webhooks', async () => {
  const page = await read()
  expect(page('[aria-label=Dashboard] a[aria-current=page]').text()).toBe('Webhooks')
  expect(page('main').text()).toContain('No webhooks yet.')
})

test('a webhook is created once its receiver repeats the challenge, and its secret is shown once', async () => {
  const { answer, page } = await create('all.example')
  expect(answer.statusCode).toBe(201)
  const secret = String(page('#secret').val())
  expect(secret).toMatch(/^whsec_/)
  const { texts, address } = await findRow('all.example')
  expect(texts.slice(1, 4)).toEqual(['all changes', 'active', 'none yet'])
  for (const url of [webhooks, address]) expect((await ann.get(url)).body).not.toContain(secret)
})

test('the answer to its form that is reloaded creates no other webhook', async () => {
  const once = String((await read())('form.panel [name=once]').val())
  const { answer, receiver } = await create('once.example', { once })
  expect(answer.statusCode).toBe(201)
  const { url } = receivers.add('twice.example')
  for (const sent of [{ url: receiver.url }, { url }]) {
    const again = await sendForm(ann, webhooks, { ...sent, once })
    expect([again.statusCode, load(again.body)('[role=alert]').text()]).toEqual([
      409,
      expect.stringContaining('This form was already sent'),
    ])
  }
  expect((await read())('tbody').text()).not.toContain('twice.example')
})

test.each([
  [{ what: 'authorization.*' }, 'changes to authorizations'],
  [
    { what: '', about: 'acme.example, https://Sales.acme.example/mcp' },
    'all changes, only about acme.example or https://sales.acme.example/mcp',
  ],
  [
    { what: 'agent.*', about: 'https://your-site.example/ HTTPS://Other.example' },
    'changes to agents, only about your-site.example or other.example',
  ],
  [{ what: 'audit' }, 'the audit log'],
])('a webhook may send less: %j', async (form, selection) => {
  const host = `less${Object.values(form).join('').length}.example`
  expect((await create(host, form)).answer.statusCode).toBe(201)
  expect((await findRow(host)).texts[1]).toBe(selection)
})

test('the form offers the types that report all that ends or resumes a sale, as the guide has them', async () => {
  const [, list = ''] = /"event_types":(\[.*?\])/.exec(readFileSync('docs/webhooks.md', 'utf8'))!
  const what = (JSON.parse(list) as string[]).join()
  const page = await read()
  expect(page(`option[value="${what}"]`).text()).toBe(
    'What starts, suspends, resumes or ends an authorization',
  )
  await create('sales.example', { what })
  expect((await findRow('sales.example')).texts[1]).toBe(
    'what starts, suspends, resumes or ends an authorization',
  )
})

test('the filters of a webhook are edited in the form that shows them', async () => {
  const agent = 'https://seller.example'
  const { receiver } = await create('edited.example')
  const { id, address } = await findRow('edited.example')
  await change({ event_types: ['agent.removed', 'publisher.*'], agents: [agent] }, id)
  const edit = String((await read(address))('main a:contains(Edit)').attr('href'))
  const page = await read(edit)
  expect(page('option[selected]').text()).toBe('Changes to agent.removed and publishers’ files')
  expect(page('#about').val()).toBe(agent)
  expect(page('form.panel a:contains(Cancel)').attr('href')).toBe(address)
  const form = { id, what: String(page('option[selected]').val()) }
  const save = (about: string) => sendForm(ann, `${webhooks}/edit`, { ...form, about })
  const refused = load((await save(`${agent} banana`)).body)
  expect([refused('[aria-invalid]').attr('name'), refused('#about').val()]).toEqual([
    'about',
    `${agent} banana`,
  ])
  const saved = await save(`${agent} Acme.example`)
  expect(saved.headers.location).toBe(`${address}&done=webhook_changed`)
  const done = (await read(`${address}&done=webhook_changed`))('h1 + [role=status]')
  expect(done.text()).toContain('Webhook updated.')
  expect((await findRow('edited.example')).texts[1]).toBe(
    `changes to agent.removed and publishers’ files, only about acme.example or ${agent}`,
  )
  expect(receiver.statuses).toEqual([200])
  const audit = await read(webhooks.replace('/webhooks', '/audit'))
  expect(audit('tbody tr').first().find('th, td').slice(0, 2).text()).toBe(
    'Changed the filters of a webhookedited.example',
  )
})

test('a webhook for the audit log, which has no filters, is shown instead of its editor', async () => {
  await create('siem.example', { what: 'audit' })
  const { id, address } = await findRow('siem.example')
  expect((await read(address))('main').text()).not.toContain('Edit')
  expect((await read(`${webhooks}/edit?id=${id}`))('h1').text()).toBe('Webhook')
})

test('a URL that cannot be one is marked in the form', async () => {
  for (const [url, fault] of [
    ['http://receiver.example/x', 'Enter an https URL without'],
    [
      'https://127.0.0.1/x',
      'isn’t on the public internet. Enter a URL such as https://acme.example/',
    ],
  ] as const) {
    const answer = await sendForm(ann, webhooks, { url })
    const page = load(answer.body)
    expect([answer.statusCode, page('#url').attr('aria-invalid')]).toEqual([400, 'true'])
    expect(page('#url-fault').text()).toContain(fault)
  }
})

test('a receiver that does not repeat the challenge is named with the reason, and the form is kept', async () => {
  const form = { url: 'https://nobody.example/x', about: 'acme.example' }
  const answer = await sendForm(ann, webhooks, form)
  const page = load(answer.body)
  expect([answer.statusCode, page('[role=alert]').text()]).toEqual([
    422,
    expect.stringContaining('The endpoint didn’t return the challenge (returned 404).'),
  ])
  expect([page('#url').val(), page('#about').val()]).toEqual([form.url, form.about])
})

test('a test says what the receiver answered, and the page lists the last deliveries', async () => {
  const { receiver } = await create('tested.example')
  const { id, address } = await findRow('tested.example')
  const post = async () => load((await sendForm(ann, `${webhooks}/test`, { id })).body)
  expect((await post())('[role=status]').text()).toContain(
    'Your endpoint accepted the test (HTTP 200',
  )
  receiver.fails = 500
  expect((await post())('[role=alert]').text()).toBe('The test failed: HTTP 500.')
  const state = PushState.open(registry.reader.paths.pushState)
  state.keepAttempt(id, 0, {
    delivery_id: '01939f00-0000-8000-8000-00000000abcd',
    attempt: 2,
    attempted_at: '2026-11-20T03:00:00.000Z',
    duration_ms: 12.4,
    delivered: false,
    status: 500,
    error: 'returned 500',
    events: 3,
    cursor: '01939f00-0000-8000-8000-00000000abcd',
  })
  await state.flush()
  const cells = (await read(address))('#deliveries tbody tr').first().find('td')
  expect(cells.toArray().map(cell => load(cell).text())).toEqual([
    'failed HTTP 500',
    '3',
    '2',
    '12 ms',
  ])
  await state.close()
})

test('a disabled webhook says why and can be resumed; a deleted one is gone, after a question', async () => {
  await create('ended.example')
  const { id, address } = await findRow('ended.example')
  await registry.submit({ op: 'subscription.disable', subscription_id: id, reason: 'It was late.' })
  expect((await findRow('ended.example')).texts[2]).toBe('disabled')
  expect((await read(address))('main').text()).toContain('It was late.')
  const resumed = await sendForm(ann, `${webhooks}/resume`, { id })
  expect(resumed.headers.location).toBe(`${webhooks}?done=webhook_resumed`)
  const form = { id, subject: 'https://ended.example/changes' }
  const asked = load((await sendForm(ann, `${webhooks}/delete`, form)).body)
  expect(asked('h1').text()).toBe('Delete https://ended.example/changes?')
  expect((await findRow('ended.example')).texts[2]).toBe('active')
  const deleted = await sendForm(ann, `${webhooks}/delete`, { ...form, sure: 'yes' })
  expect(deleted.headers.location).toBe(`${webhooks}?done=webhook_deleted`)
  expect((await findRow('ended.example')).texts).toEqual([])
  const audit = await read(webhooks.replace('/webhooks', '/audit'))
  const changes = audit('tbody tr').toArray()
  const about = changes.map(row => audit(row).find('th, td').slice(0, 2).text())
  for (const change of ['Deleted a webhook', 'Resumed a webhook'])
    expect(about).toContain(`${change}ended.example`)
  expect(about).toContain('Created a webhookended.example, changes')
  const gone = await ann.get(address)
  expect([gone.statusCode, load(gone.body)('[role=alert]').text()]).toEqual([
    404,
    'Your organization has no subscription with this ID.',
  ])
})
