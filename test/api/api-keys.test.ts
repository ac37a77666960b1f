import { beforeAll, describe, expect, test } from 'vitest'
import type { KeyPermission } from '../../pipeline/core/roles.ts'
import { listFilesContaining } from '../support/checks/files-containing.ts'
import { openAnotherApi, type TestRegistry } from '../support/registry/app.ts'
import { createRecordingLog } from '../support/registry/recording-log.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { openIssuer, openWithIssuer } from '../support/servers/issuer.ts'

const issuer = openForAll(openIssuer)
const registry = openForAll(() => openWithIssuer(issuer, { log }))
const { log, said } = createRecordingLog()
let owner: string
let member: string

beforeAll(async () => {
  await registry.createKey('Acme')
  await registry.createKey('Other')
  await registry.submit({ op: 'membership.set', org: 'Acme', user_id: 'ann', role: 'owner' })
  await registry.submit(
    { op: 'membership.set', org: 'Other', user_id: 'ann', role: 'member' },
    { op: 'membership.set', org: 'Acme', user_id: 'bob', role: 'member' },
  )
  owner = await issuer.token({ sub: 'ann' })
  member = await issuer.token({ sub: 'bob' })
})

const ask = (token: string, method: 'GET' | 'POST' | 'DELETE', rest = '', payload?: object) =>
  registry.send(method, `/api/me/api-keys${rest}`, { key: token, payload })
const make = async (permissions: KeyPermission[] = [], by = owner) =>
  (await ask(by, 'POST', '', { name: 'Nightly job', permissions })).json()
const names = async (token: string) =>
  (await ask(token, 'GET')).json().api_keys.map(({ name }: { name: string }) => name)

async function findOrgId(name: string): Promise<string> {
  const row = await registry.sequencer.accounts.db.one<{ org_id: string }>(
    'select org_id from organizations where name = $name',
    { name },
  )
  return row!.org_id
}

describe('an API key', () => {
  test('is created once under one Idempotency-Key, and a repeated request says so', async () => {
    const create = (name: string) =>
      registry.send('POST', '/api/me/api-keys', {
        key: owner,
        headers: { 'idempotency-key': 'nightly' },
        payload: { name },
      })
    const answers = await Promise.all([create('Once'), create('Once'), create('Once')])
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([201, 409, 409])
    const conflict = (error: string) => ({ code: 'conflict', error })
    expect((await create('Once')).json()).toEqual(
      conflict(
        'This Idempotency-Key was used, and what it created is not shown again: send another one to create a new one.',
      ),
    )
    expect((await create('Other')).json()).toEqual(
      conflict('This Idempotency-Key was used for a different request.'),
    )
    const created = await names(owner)
    expect(created.filter((name: string) => ['Once', 'Other'].includes(name))).toEqual(['Once'])
  })

  test('is shown once, and its secret is in no store and no log line', async () => {
    const made = await ask(owner, 'POST', '', { name: ' Nightly job ' })
    expect(made.statusCode).toBe(201)
    expect(made.headers['cache-control']).toBe('private, no-store')
    const { value, id, ...rest } = made.json()
    expect(value).toMatch(/^sk_[A-Za-z0-9_-]{43}$/)
    const prefix = value.slice(0, 'sk_'.length + 4)
    expect(rest).toMatchObject({ prefix, name: 'Nightly job', permissions: [] })
    const listed = await ask(owner, 'GET')
    expect(listed.json().api_keys).toContainEqual({ id, ...rest })
    expect(listed.body).not.toContain(value)
    await registry.publish()
    const inFiles = listFilesContaining(registry.config.DATA_DIR, value.slice(3))
    expect(inFiles).toEqual([])
    expect(
      listFilesContaining(registry.config.DATA_DIR, id),
      'its id is found like this',
    ).not.toEqual([])
    expect(JSON.stringify(registry.submitted)).not.toContain(value.slice(3))
    await ask(value, 'GET', '?org=')
    await ask(`${value}x`, 'GET')
    expect(said.join()).not.toContain(value.slice(3))
    expect(said.join()).not.toContain(owner.split('.')[2])
    expect(said.length).toBeGreaterThan(3)
  })

  test('opens the feed at once, and nothing in any process from its revocation on', async () => {
    const other = await openAnotherApi(registry)
    const { id, value } = await make()
    const feed = (app: TestRegistry['app']) =>
      app.inject({ url: '/api/registry/feed', headers: { authorization: `Bearer ${value}` } })
    for (const { app } of [registry, other]) expect((await feed(app)).statusCode).toBe(200)
    const revoked = await ask(owner, 'DELETE', `/${id}`)
    expect([revoked.statusCode, revoked.body]).toEqual([204, ''])
    for (const { app } of [registry, other]) expect((await feed(app)).statusCode).toBe(401)
    expect((await ask(owner, 'DELETE', `/${id}`)).statusCode).toBe(404)
    await other.close()
    expect(await registry.verify()).toEqual([])
  })

  test('manages keys only with that permission, and only those of its organization', async () => {
    const plain = await make()
    const reader = await make(['admin:read'])
    const admin = await make(['admin:*'])
    for (const [key, get, post] of [
      [plain, 403, 403],
      [reader, 200, 403],
      [admin, 200, 201],
    ]) {
      expect((await ask(key.value, 'GET')).statusCode).toBe(get)
      expect((await ask(key.value, 'POST', '', { name: 'x' })).statusCode).toBe(post)
    }
    const foreign = await ask(admin.value, 'POST', `?org=${await findOrgId('Other')}`, {
      name: 'x',
    })
    expect([foreign.statusCode, foreign.json().code]).toEqual([403, 'cross_tenant_api_key'])
    const others = await registry.sequencer.accounts.db.one<{ key_id: string }>(
      'select key_id from api_keys where org_id = $org_id',
      { org_id: await findOrgId('Other') },
    )
    expect((await ask(admin.value, 'DELETE', `/${others!.key_id}`)).statusCode).toBe(404)
    expect((await ask(plain.value, 'DELETE', `/${admin.id}`)).statusCode).toBe(403)
    expect((await ask(plain.value, 'DELETE', `/${plain.id}`)).statusCode, 'itself').toBe(204)
  })

  test('of another organization cannot be revoked', async () => {
    const { id, value } = await make()
    const op = 'key.revoke' as const
    const [refused] = await registry.submit({ op, key_id: id, org_id: await findOrgId('Other') })
    expect(refused).toMatchObject({ error: 'not_found' })
    expect((await ask(value, 'GET')).statusCode).toBe(403)
  })
})

describe('a person', () => {
  test('who owns an organization manages its keys, an ordinary member does not', async () => {
    expect((await ask(owner, 'GET')).statusCode).toBe(200)
    expect((await ask(member, 'GET')).statusCode).toBe(403)
    expect((await ask(member, 'POST', '', { name: 'x' })).statusCode).toBe(403)
    await registry.submit({ op: 'membership.set', org: 'Acme', user_id: 'bob', role: 'admin' })
    expect(await names(member)).toContain('Nightly job')
  })

  test('of several organizations has rights in each of them', async () => {
    const other = await findOrgId('Other')
    expect((await ask(owner, 'GET', `?org=${other}`)).statusCode).toBe(403)
    const nowhere = await ask(owner, 'GET', '?org=00000000-0000-4000-8000-000000000000')
    expect(nowhere.statusCode).toBe(403)
    expect((await ask(owner, 'GET', '?org=')).statusCode).toBe(400)
    expect((await ask(owner, 'GET', `?org[id]=${other}`)).statusCode).toBe(400)
  })

  test('with no organization, or an invalid request, gets the reason', async () => {
    expect((await ask(await issuer.token({ sub: 'eve' }), 'GET')).statusCode).toBe(400)
    for (const payload of [{}, { name: ' ' }, { name: 'x', permissions: ['root'] }]) {
      expect((await ask(owner, 'POST', '', payload)).statusCode).toBe(400)
    }
    expect((await ask('sk_nobody', 'POST', '', {})).statusCode, 'asked first').toBe(401)
  })

  test('who is removed while their key waits for the writer gets none', async () => {
    await registry.submit({ op: 'membership.set', org: 'Acme', user_id: 'cid', role: 'owner' })
    const cid = await issuer.token({ sub: 'cid' })
    let resume = () => {}
    const busy = registry.sequencer.quietly(
      () =>
        new Promise<void>(resolve => {
          resume = resolve
        }),
    )
    const removal = registry.submit({ op: 'membership.remove', org: 'Acme', user_id: 'cid' })
    const making = ask(cid, 'POST', '', { name: 'Too late' })
    await expect.poll(() => registry.submitted.at(-1)).toMatchObject({ label: 'Too late' })
    resume()
    const [late] = await Promise.all([making, removal, busy])
    expect([late.statusCode, late.json().error]).toEqual([
      403,
      'You no longer belong to that organization.',
    ])
    expect(await names(owner)).not.toContain('Too late')
  })
})
