import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { DAY } from '../../pipeline/core/clock.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import { membershipRoles } from '../../pipeline/core/roles.ts'
import { listFilesContaining } from '../support/checks/files-containing.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { openIssuer, openWithIssuer } from '../support/servers/issuer.ts'

const issuer = openForAll(openIssuer)
const registry = openForAll(() => openWithIssuer(issuer, { ownRedis: true }))
let acme: string
let other: string

beforeAll(async () => {
  for (const org of ['Other', 'Acme']) await registry.createKey(org)
  const people = [
    ['Acme', 'olga', 'owner'],
    ['Acme', 'adam', 'admin'],
    ['Acme', 'mia', 'member'],
    ['Acme', 'vic', 'viewer'],
    ['Other', 'both', 'viewer'],
    ['Acme', 'both', 'member'],
  ] as const
  for (const [org, user_id, role] of people) {
    await registry.submit({ op: 'membership.set', org, user_id, role })
  }
  acme = await findOrgId('Acme')
  other = await findOrgId('Other')
  for (const org of ['Acme', 'Other']) {
    const domain = `${org.toLowerCase()}.example` as Domain
    await registry.submit({ op: 'organization.domain.add', org, domain, proof: 'operator' })
  }
})

async function findOrgId(name: string): Promise<string> {
  const { db } = registry.sequencer.accounts
  const query = 'select org_id from organizations where name = $name'
  return (await db.one<{ org_id: string }>(query, { name }))!.org_id
}

/** Issues a token at the present time of the registry: days pass here. */
function issue(claims: object): Promise<string> {
  const iat = registry.clock.now() / 1_000
  return issuer.token({ iat, exp: iat + 600, ...claims })
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
async function ask(who: string, method: Method, url: string, payload?: object) {
  const email = `${who}@acme.example`
  const token = await issue({ sub: who, email, email_verified: true })
  const headers = { authorization: `Bearer ${token}` }
  return registry.app.inject({ method, url, headers, ...(payload && { payload }) })
}

const MEMBERS = '/api/me/organization/members'
const INVITATIONS = '/api/me/organization/invitations'
const AUDIT = '/api/me/organization/audit'
const invite = (who: string, email: string, role = 'member') =>
  ask(who, 'POST', INVITATIONS, { email, role })
const accept = (who: string, url: string) =>
  ask(who, 'POST', '/api/me/invitations/accept', { token: new URL(url).searchParams.get('token') })
const readRoles = async () => {
  const { members } = (await ask('olga', 'GET', MEMBERS)).json()
  return Object.fromEntries(
    members.map(({ user_id, role }: Record<string, string>) => [user_id, role]),
  )
}

describe('an invitation', () => {
  test('brings the invited person in with its role, once', async () => {
    const made = await invite('olga', 'Nina@Acme.Example', 'viewer')
    expect(made.statusCode, made.body).toBe(201)
    const { url, sent, id } = made.json()
    expect(sent).toBe(false)
    const listed = await ask('olga', 'GET', INVITATIONS)
    expect(listed.json().invitations).toMatchObject([{ id, email: 'nina@acme.example' }])
    const joined = await accept('nina', url)
    expect([joined.statusCode, joined.json()]).toEqual([
      200,
      { success: true, org_id: acme, role: 'viewer' },
    ])
    expect((await readRoles()).nina).toBe('viewer')
    expect((await accept('nina', url)).statusCode).toBe(404)
    expect((await ask('olga', 'GET', INVITATIONS)).json().invitations).toEqual([])
  })

  test('is bound to its address: nobody else can use it, nor uses it up', async () => {
    const { url } = (await invite('olga', 'paul@acme.example')).json()
    const stranger = await accept('mallory', url)
    expect(stranger.statusCode).toBe(404)
    expect((await readRoles()).mallory).toBeUndefined()
    expect((await accept('paul', url)).statusCode).toBe(200)
  })

  test('for an address that is not verified cannot be used', async () => {
    const { url } = (await invite('olga', 'quin@acme.example')).json()
    const email = 'quin@acme.example'
    const token = await issue({ sub: 'quin', email, email_verified: false })
    const answer = await registry.send('POST', '/api/me/invitations/accept', {
      key: token,
      payload: { token: new URL(url).searchParams.get('token') },
    })
    expect(answer.statusCode).toBe(403)
  })

  test('ends when it is revoked, replaced, or too old', async () => {
    const revoked = (await invite('olga', 'rosa@acme.example')).json()
    expect((await ask('olga', 'DELETE', `${INVITATIONS}/${revoked.id}`)).statusCode).toBe(204)
    expect((await accept('rosa', revoked.url)).statusCode).toBe(404)
    const first = (await invite('olga', 'rosa@acme.example', 'admin')).json()
    const second = (await invite('olga', 'rosa@acme.example')).json()
    expect((await accept('rosa', first.url)).statusCode).toBe(404)
    registry.clock.tick(7 * DAY)
    expect((await ask('olga', 'GET', INVITATIONS)).json().invitations).toEqual([])
    expect((await accept('rosa', second.url)).statusCode).toBe(404)
    expect((await readRoles()).rosa).toBeUndefined()
  })

  test('never raises the role of somebody who is a member already', async () => {
    const { url } = (await invite('olga', 'vic@acme.example', 'owner')).json()
    expect((await accept('vic', url)).json().role).toBe('viewer')
    expect((await readRoles()).vic).toBe('viewer')
  })

  test('leaves its token in no store, and its address in no public file', async () => {
    const { url } = (await invite('olga', 'secret-guest@acme.example')).json()
    const token = new URL(url).searchParams.get('token')!
    await registry.publish()
    expect(listFilesContaining(registry.config.DATA_DIR, token)).toEqual([])
    const named = listFilesContaining(registry.config.DATA_DIR, 'secret-guest')
    expect(named.length).toBeGreaterThan(0)
    expect(named.filter(file => !/^record|serving/.test(file))).toEqual([])
    const audit = await registry.sequencer.accounts.db.all(
      `select content, changes from submissions where operation like 'invitation.%'`,
    )
    expect(JSON.stringify(audit)).not.toContain('@')
    expect(await registry.verify()).toEqual([])
  })
})

describe('a role', () => {
  const invited = (role: string) => ({ email: 'someone@acme.example', role })
  const save = { domain: 'acme.example', brand_name: 'Acme' }
  /** Status of each request by role, in the order of `membershipRoles`. */
  const table: readonly [string, Method, string, object | undefined, number[]][] = [
    ['sees the people', 'GET', MEMBERS, undefined, [200, 200, 200, 200]],
    ['reads the audit', 'GET', AUDIT, undefined, [200, 200, 200, 200]],
    ['saves', 'POST', '/api/brands/save', save, [200, 200, 200, 403]],
    ['makes keys', 'POST', '/api/me/api-keys', { name: 'k' }, [201, 201, 403, 403]],
    ['sees invitations', 'GET', INVITATIONS, undefined, [200, 200, 403, 403]],
    ['invites members', 'POST', INVITATIONS, invited('member'), [201, 201, 403, 403]],
    ['invites admins', 'POST', INVITATIONS, invited('admin'), [201, 403, 403, 403]],
    ['changes roles', 'PATCH', `${MEMBERS}/mia`, { role: 'member' }, [200, 403, 403, 403]],
    ['removes an owner', 'DELETE', `${MEMBERS}/olga`, undefined, [409, 403, 403, 403]],
  ]

  test.each(table)('%s where the table says so', async (_, method, url, payload, statuses) => {
    const people = ['olga', 'adam', 'mia', 'vic']
    const org = `${url}?org=${acme}`
    const answers = await Promise.all(people.map(who => ask(who, method, org, payload)))
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(statuses)
    expect(statuses).toHaveLength(membershipRoles.length)
  })

  test('that was lost while a request waited no longer counts', async () => {
    const org_id = acme
    const by = { kind: 'user', id: 'vic', org_id } as const
    const operation = { op: 'membership.change', org_id, user_id: 'vic', role: 'owner' } as const
    const submission_id = randomUUID()
    const submissions = [{ submission_id, operation, by }]
    const { answers } = await registry.sequencer.commit({ observations: [], submissions })
    expect(answers.get(submission_id)).toMatchObject({ error: 'forbidden' })
  })

  test('can be taken from an owner only while another one stays', async () => {
    const demote = (who: string) => ask('olga', 'PATCH', `${MEMBERS}/${who}`, { role: 'member' })
    expect((await demote('olga')).statusCode).toBe(409)
    expect((await ask('olga', 'DELETE', `${MEMBERS}/olga`)).statusCode).toBe(409)
    await ask('olga', 'PATCH', `${MEMBERS}/mia`, { role: 'owner' })
    expect((await demote('mia')).statusCode).toBe(200)
    expect((await demote('olga')).statusCode).toBe(409)
  })

  test('ends with its membership: a person who left no longer sees anything', async () => {
    const { url } = (await invite('olga', 'leo@acme.example')).json()
    await accept('leo', url)
    expect((await ask('leo', 'DELETE', `${MEMBERS}/leo?org=${acme}`)).statusCode).toBe(204)
    expect((await ask('leo', 'GET', `${MEMBERS}?org=${acme}`)).statusCode).toBe(403)
    expect((await ask('adam', 'DELETE', `${MEMBERS}/leo`)).statusCode).toBe(404)
  })
})

describe('a person of several organizations', () => {
  test('sees all of them, and chooses for which one a save counts', async () => {
    const { organizations } = (await ask('both', 'GET', '/api/me/organizations')).json()
    expect(organizations.map(({ id, role }: Record<string, string>) => [id, role])).toEqual([
      [other, 'viewer'],
      [acme, 'member'],
    ])
    const save = { domain: 'acme.example', brand_name: 'Acme Shoes' }
    expect((await ask('both', 'POST', '/api/brands/save', save)).statusCode).toBe(403)
    const chosen = `/api/brands/save?org=${acme}`
    expect((await ask('both', 'POST', chosen, save)).statusCode).toBe(200)
    const foreign = { domain: 'other.example', brand_name: 'Other' }
    expect((await ask('both', 'POST', chosen, foreign)).statusCode).toBe(403)
    const stranger = await ask('olga', 'POST', `/api/brands/save?org=${other}`, foreign)
    expect(stranger.statusCode).toBe(403)
  })
})

describe('the audit of an organization', () => {
  const read = async (query = '') =>
    (await ask('olga', 'GET', `${AUDIT}${query}`)).json() as {
      changes: { id: string; operation: string; by: object; facts: object }[]
      next_cursor: string | null
    }

  test('says who changed what, the latest first, under the organization it was for', async () => {
    await ask('both', 'POST', `/api/me/api-keys?org=${acme}`, { name: 'refused' })
    await ask('both', 'POST', `/api/brands/save?org=${acme}`, {
      domain: 'acme.example',
      brand_name: 'Acme Boots',
    })
    const { changes } = await read('?limit=200')
    expect(changes[0]).toMatchObject({
      operation: 'brand.save',
      by: { kind: 'user', id: 'both' },
      facts: { domain: 'acme.example' },
    })
    const operations = new Set(changes.map(({ operation }) => operation))
    for (const operation of [
      'key.create',
      'invitation.create',
      'invitation.accept',
      'invitation.revoke',
      'membership.change',
      'membership.leave',
      'organization.domain.add',
    ]) {
      expect(operations).toContain(operation)
    }
    expect(JSON.stringify(changes)).not.toContain('refused')
    const { changes: theirs } = (await ask('both', 'GET', `${AUDIT}?org=${other}&limit=200`)).json()
    const names = theirs.map(({ operation }: { operation: string }) => operation)
    expect(names).not.toContain('brand.save')
  })

  test('is read page by page, each change once', async () => {
    const all = (await read('?limit=200')).changes.map(({ id }) => id)
    const paged: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page = await read(`?limit=3${cursor && `&cursor=${cursor}`}`)
      expect(page.changes.length).toBeLessThanOrEqual(3)
      paged.push(...page.changes.map(({ id }) => id))
      cursor = page.next_cursor
    }
    expect(paged).toEqual(all)
  })
})
