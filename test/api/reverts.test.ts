import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { type AuditRow, listAuditRows } from '../../pipeline/accounts/audit.ts'
import { Operation } from '../../pipeline/model/submission.ts'
import { loadAuditDetail } from '../../pipeline/writer/community/audit-detail.ts'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { buildMirrorFile, createModerator } from '../support/fixtures/mirrors.ts'
import { openRegistry } from '../support/registry/app.ts'
import { enrol } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const editor = { kind: 'command', id: 'root', org_id: null } as const

const limits = { savesPerHour: 10_000, savesPerOrganizationHour: 10_000 }
const registry = openForAll(() => openRegistry({ ownRedis: true, limits }))
let secret: string

beforeAll(async () => {
  const domains = ['acme.example', 'other.example']
  secret = await enrol(registry, { org: 'Acme', tier: 'company_icl', domains })
})

const rows = (operation: string): AuditRow[] =>
  listAuditRows(registry.sequencer.accounts.db, { operation, limit: 100 })

async function submit(operation: object): Promise<unknown> {
  return (await registry.submit(Operation.parse(operation)))[0]
}

const revert = (id: string) => submit({ op: 'audit.revert', reverts: id, editor })

/** Submits an operation and returns its row. */
async function submitDone(operation: { op: string; [field: string]: unknown }): Promise<AuditRow> {
  expect(await submit(operation)).toHaveProperty('done')
  return (await rows(operation.op))[0]!
}

async function save(path: string, payload: object): Promise<AuditRow> {
  const headers = { authorization: `Bearer ${secret}` }
  const answer = await registry.app.inject({ method: 'POST', url: path, payload, headers })
  expect(answer.statusCode, answer.body).toBe(200)
  return (await rows(path.includes('brands') ? 'brand.save' : 'property.save'))[0]!
}

const saveBrand = (brand_name: string, domain = 'acme.example') =>
  save('/api/brands/save', { domain, brand_name })

async function get(path: string) {
  const { statusCode, body } = await registry.app.inject(path)
  return { statusCode, body: JSON.parse(body) }
}

describe('reverting a save', () => {
  test('restores the entry before it by one more revision with its own audit row', async () => {
    await saveBrand('Acme')
    const bad = await saveBrand('Acne')
    expect(await revert(bad.submission_id)).toMatchObject({ done: { domain: 'acme.example' } })
    const { body } = await get('/api/brands/resolve?domain=acme.example')
    expect(body.brand_name).toBe('Acme')
    const history = await get('/api/brands/history?domain=acme.example')
    expect(history.body.revisions.map((one: { edit_summary: string }) => one.edit_summary)).toEqual(
      ['Restored version 1', 'Fields changed: name', 'Saved the brand'],
    )
    const [row] = await rows('entry.rollback')
    expect(row).toMatchObject({ reverts: bad.submission_id, content: { editor, moderates: true } })
    const stores = registry.sequencer
    expect(await loadAuditDetail(stores, bad.submission_id)).toMatchObject({
      reverted_by: [row!.submission_id],
      changes: [
        { table: 'entries', before: [{ brand_name: 'Acme' }], after: [{ brand_name: 'Acne' }] },
      ],
    })
  })

  test('can be reverted itself', async () => {
    const [row] = await rows('entry.rollback')
    await revert(row!.submission_id)
    const { body } = await get('/api/brands/resolve?domain=acme.example')
    expect(body.brand_name).toBe('Acne')
  })

  test('names the later save that must be reverted first', async () => {
    const [first] = (await rows('brand.save')).reverse()
    expect(await revert(first!.submission_id)).toEqual({
      refused: 'revision 4 of acme.example is newer: revert that first',
    })
    const refused = (await rows('audit.revert'))[0]
    expect(refused).toMatchObject({
      reverts: first!.submission_id,
      answer: { refused: expect.stringMatching(/first/) },
    })
  })

  test('of the first one leaves no entry until the next save', async () => {
    const lookup = () => get('/api/registry/publisher?domain=other.example')
    const unknown = await lookup()
    const made = await saveBrand('Other', 'other.example')
    const properties = await save('/api/properties/save', {
      publisher_domain: 'other.example',
      properties: [{ type: 'website', name: 'Other' }],
    })
    expect((await lookup()).body.properties).not.toEqual(unknown.body.properties)
    await revert(made.submission_id)
    await revert(properties.submission_id)
    expect((await get('/api/brands/resolve?domain=other.example')).statusCode).toBe(404)
    await registry.publish()
    expect((await get('/api/brands/registry?search=other.example')).body.brands).toEqual([])
    expect((await get('/api/properties/resolve?domain=other.example')).statusCode).toBe(404)
    expect((await lookup()).body.properties).toEqual(unknown.body.properties)
    expect(await registry.verify()).toEqual([])
    await saveBrand('Other again', 'other.example')
    expect((await get('/api/brands/resolve?domain=other.example')).body.brand_name).toBe(
      'Other again',
    )
  })

  test('happens once, however often it is delivered, and persists across restarts', async () => {
    const bad = await saveBrand('Twice')
    const submission = {
      submission_id: randomUUID(),
      operation: Operation.parse({ op: 'audit.revert', reverts: bad.submission_id, editor }),
    }
    const commit = () => registry.sequencer.commit({ observations: [], submissions: [submission] })
    const first = await commit()
    const again = await commit()
    expect(first.answers.get(submission.submission_id)).toHaveProperty('done')
    expect(again.answers).toEqual(first.answers)
    await registry.restart()
    expect((await get('/api/brands/resolve?domain=acme.example')).body.brand_name).toBe('Acne')
    expect(await registry.verify()).toEqual([])
  })
})

describe('reverting', () => {
  test('a change of the accounts restores what was there before', async () => {
    const role = { role: 'moderator', holder: 'user', id: 'ada' }
    const agent = { org: 'Acme', url: 'https://a.example/mcp', type: 'sales' }
    const findCurrent = async () => {
      const { db } = registry.sequencer.accounts
      const all = (sql: string) => db.all(sql)
      return {
        roles: await all('select role from roles where revoked_at is null order by role, id'),
        people: await all('select user_id, role from memberships where removed_at is null'),
        domains: await all('select domain, proof from verified_domains order by domain'),
        profile: await all('select slug, display_name, is_public from members'),
        tier: await all('select membership_tier from organizations'),
        agents: await all('select agent_url, type, visibility from member_agents'),
        keys: await all('select key_id from api_keys where revoked_at is null'),
        down: await all('select domain, reason from taken_down'),
        mirrors: await all('select platform, digest from mirrors where not removed'),
      }
    }
    const key = { key_id: randomUUID(), org: 'Acme', label: '', hash: 'a'.repeat(64) }
    for (const operation of [
      { op: 'role.grant', ...role },
      { op: 'membership.set', org: 'Acme', user_id: 'bob', role: 'admin' },
      { op: 'membership.set', org: 'Acme', user_id: 'bob', role: 'member' },
      { op: 'membership.remove', org: 'Acme', user_id: 'bob' },
      { op: 'organization.domain.add', org: 'Acme', domain: 'more.example', proof: 'operator' },
      { op: 'organization.domain.remove', org: 'Acme', domain: 'more.example' },
      { op: 'member.update', org: 'Acme', display_name: 'ACME', is_public: true },
      { op: 'member.agent.save', ...agent, visibility: 'members_only' },
      { op: 'member.agent.save', ...agent, visibility: 'public' },
      { op: 'member.tier', org: 'Acme', tier: 'company_leader' },
      { op: 'key.create', ...key },
      { op: 'domain.takedown', domain: 'bad.example', reason: 'they asked' },
    ]) {
      const before = await findCurrent()
      const row = await submitDone(operation)
      expect(row.changes, operation.op).not.toEqual([])
      expect(await revert(row.submission_id), operation.op).toHaveProperty('done')
      expect(await findCurrent(), operation.op).toEqual(before)
      await submit(operation)
    }
    expect(JSON.stringify(await rows('key.create'))).not.toContain(key.hash)
    expect(await registry.verify()).toEqual([])
  })

  test.each([
    ['tier', 'member.tier', { org: 'Acme', tier: null }, 'hid agents'],
    ['key', 'key.revoke', {}, 'create another one'],
    [
      'organization',
      'organization.create',
      { org_id: randomUUID(), name: 'Nova' },
      'revoke its keys',
    ],
    [
      'domains',
      'domains.add',
      { domains: ['x.example'], again: false },
      'registry takedown DOMAIN',
    ],
    [
      'readmission',
      'domain.readmit',
      { domain: 'bad.example' },
      'that would delete data: to take the domain down again, run `registry takedown DOMAIN`',
    ],
  ])('a %s fails with its reason', async (_, op, fields, words) => {
    const [made] = await rows('key.create')
    const row = await submitDone({
      op,
      ...(op === 'key.revoke' && made!.content),
      ...fields,
    } as never)
    expect(await revert(row.submission_id)).toMatchObject({
      refused: expect.stringContaining(words),
    })
  })

  test('a mirror or a policy restores the one published before', async () => {
    const authorization = `Bearer ${await createModerator(registry)}`
    const publish = async (...collections: string[]) => {
      const answer = await registry.send('PUT', '/api/registry/mirrors/pictures', {
        headers: { authorization },
        payload: buildMirrorFile(...collections),
      })
      expect(answer.statusCode, answer.body).toBe(200)
      return (await rows('mirror.publish'))[0]!
    }
    const first = await publish('one')
    const before = await get('/api/registry/mirrors/pictures')
    const second = await publish('one', 'two')
    await revert(second.submission_id)
    const { updated_at: _, ...shown } = (await get('/api/registry/mirrors/pictures')).body
    expect(before.body).toMatchObject(shown)
    const [published] = await rows('mirror.publish')
    expect(await revert(first.submission_id)).toMatchObject({
      refused: expect.stringMatching(/changed since/),
    })
    await submit({ op: 'mirror.remove', platform: 'pictures', force: true })
    expect((await get('/api/registry/mirrors/pictures')).statusCode).toBe(404)
    await revert((await rows('mirror.remove'))[0]!.submission_id)
    expect((await get('/api/registry/mirrors/pictures')).statusCode).toBe(200)
    expect(published!.reverts).toBe(second.submission_id)

    const proposed = await registry.send('PUT', '/api/registry/mirrors/pictures', {
      key: secret,
      payload: buildMirrorFile('three'),
    })
    const { proposal_id: review_id, proposal_digest: digest } = proposed.json()
    const decision = { op: 'review.approve', review_id, digest, reviewer: 'operator' }
    const approved = await submitDone(decision)
    expect((await get('/api/registry/mirrors/pictures')).body).not.toMatchObject(shown)
    expect(await revert(approved.submission_id)).toHaveProperty('done')
    expect((await get('/api/registry/mirrors/pictures')).body).toMatchObject(shown)

    const policy = (name: string) => ({
      policy_id: 'gdpr',
      version: '1',
      name,
      category: 'regulation',
      enforcement: 'must',
      policy: 'Ask first.',
    })
    const named = async () => (await get('/api/policies/resolve?policy_id=gdpr')).body.name
    const made = await submitDone({ op: 'policy.publish', policy: policy('GDPR') } as never)
    expect(await revert(made.submission_id)).toMatchObject({
      refused: expect.stringMatching(/had no such policy/),
    })
    const wrong = await submitDone({ op: 'policy.publish', policy: policy('GDRP') } as never)
    expect(await named()).toBe('GDRP')
    await revert(wrong.submission_id)
    expect(await named()).toBe('GDPR')
    expect(await registry.verify()).toEqual([])
  })

  test('the approval of a submitted brand hides it again', async () => {
    const payload = { domain: 'told.example', brand_name: 'Told' }
    const handedIn = await registry.send('POST', '/api/brands/discovered/community', {
      key: secret,
      payload,
    })
    expect(handedIn.statusCode, handedIn.body).toBe(200)
    const [waiting] = await registry.sequencer.accounts.db.all(
      `select review_id, digest from reviews where kind = 'brand'`,
    )
    const decision = { op: 'review.approve', ...(waiting as object), reviewer: 'operator' }
    const approved = await submitDone(decision)
    const resolved = () => get('/api/brands/resolve?domain=told.example')
    expect((await resolved()).body.brand_name).toBe('Told')
    expect(await revert(approved.submission_id)).toHaveProperty('done')
    expect((await resolved()).statusCode).toBe(404)
    expect(await registry.verify()).toEqual([])
  })

  test('a merge fails, since merges are permanent', async () => {
    const sites = ['a.shop.example', 'b.shop.example']
    await registry.observe(observePublisherFile('shop.example', { sites, agents: [] }))
    const rids = await registry.sequencer.index.all<{ rid: string }>(
      `select property_rid as rid from properties where publisher_domain = 'shop.example' order by 1`,
    )
    const [alias_rid, canonical_rid] = rids.map(({ rid }) => rid)
    const row = await submitDone({ op: 'property.merge', alias_rid, canonical_rid })
    expect(await revert(row.submission_id)).toMatchObject({
      refused: expect.stringContaining('a merge is permanent'),
    })
  })

  test('fails for an unknown, refused, ineffective or overwritten change', async () => {
    const nobody = randomUUID()
    expect(await revert(nobody)).toMatchObject({ error: 'not_found' })
    const role = { role: 'admin', holder: 'user', id: 'eve' }
    await submit({ op: 'role.revoke', ...role })
    const [refused] = await rows('role.revoke')
    expect(await revert(refused!.submission_id)).toMatchObject({
      refused: 'it was refused: there is nothing to revert',
    })
    const granted = await submitDone({ op: 'role.grant', ...role })
    const again = await submitDone({ op: 'role.grant', ...role })
    expect(await revert(again.submission_id)).toEqual({ refused: 'it changed nothing' })
    await submitDone({ op: 'role.revoke', ...role })
    expect(await revert(granted.submission_id)).toEqual({
      refused: 'its result has been changed since: revert that first',
    })
  })
})
