import { createHash, randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Operation } from '../../pipeline/model/submission.ts'
import { observeBrandFile } from '../support/fixtures/documents.ts'
import { openRegistry } from '../support/registry/app.ts'
import { enrol, proveOwnership } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const MANY = 50
const roomy = {
  savesPerHour: 10_000,
  savesPerOrganizationHour: 10_000,
  savesPerOrganizationDay: 10_000,
}

const registry = openForAll(() => openRegistry({ ownRedis: true, limits: roomy }))
let key: string
let count = 0
/** A domain of its own for each test. */
let domain: string

beforeAll(async () => {
  key = await enrol(registry, { org: 'Acme', domains: ['acme.example'] })
})

beforeEach(() => {
  domain = `race-${++count}.acme.example`
})

function save(brand_name: string, idempotency?: string, secret = key) {
  return registry.send('POST', '/api/brands/save', {
    key: secret,
    headers: { ...(idempotency && { 'idempotency-key': idempotency }) },
    payload: { domain, brand_name },
  })
}

const many = <Result>(ask: (i: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: MANY }, (_, i) => ask(i)))

const history = () =>
  registry.sequencer.index.all<{ n: number; name: string; back: number | null }>(
    `select revision_number as n, state->>'brand_name' as name, rolled_back_to as back
     from revisions where domain = '${domain}' order by revision_number`,
  )

const shown = async () => {
  const answer = await registry.app.inject(`/api/brands/resolve?domain=${domain}`)
  return answer.statusCode === 200 ? answer.json().brand_name : answer.statusCode
}

const agree = () => registry.verify()

describe('fifty saves at once', () => {
  test('under one Idempotency-Key make one revision with one answer', async () => {
    const answers = await many(() => save('Once', 'the-same'))
    expect(new Set(answers.map(({ statusCode, body }) => `${statusCode} ${body}`)).size).toBe(1)
    expect(answers[0]!.statusCode).toBe(200)
    expect(await history()).toMatchObject([{ n: 1, name: 'Once' }])
  })

  test('under one Idempotency-Key with different bodies: one is made, the others are refused', async () => {
    const answers = await many(i => save(`Name ${i}`, 'the-same-again'))
    const statuses = answers.map(({ statusCode }) => statusCode).sort()
    expect(statuses).toEqual([200, ...Array<number>(MANY - 1).fill(409)])
    const winner = answers.findIndex(({ statusCode }) => statusCode === 200)
    expect(await history()).toMatchObject([{ n: 1, name: `Name ${winner}` }])
  })

  test('with rollbacks among them leave a history without gaps, which ends in the current state', async () => {
    await save('First')
    const rollBack = () =>
      registry.send('POST', `/api/brands/discovered/${domain}/rollback`, {
        key,
        payload: { to_revision: 1 },
      })
    const answers = await many(i => (i % 3 === 0 ? rollBack() : save(`Name ${i}`)))
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
    const revisions = await history()
    expect(revisions.map(({ n }) => n)).toEqual(Array.from({ length: MANY + 1 }, (_, i) => i + 1))
    for (const { back, name } of revisions) if (back !== null) expect(name).toBe('First')
    expect(await shown()).toBe(revisions.at(-1)!.name)
    expect(await agree()).toEqual([])
  })

  test('while the domain’s own file arrives: later saves are refused, and the file counts', async () => {
    const [answers] = await Promise.all([
      many(async i => {
        await new Promise(resolve => setTimeout(resolve, i * 4))
        return save(`Name ${i}`)
      }),
      new Promise(resolve => setTimeout(resolve, 60)).then(() =>
        registry.observe(observeBrandFile(domain, 'Its own')),
      ),
    ])
    const made = answers.filter(({ statusCode }) => statusCode === 200).length
    const refused = answers.filter(({ statusCode }) => statusCode === 409).length
    expect([made + refused, refused > 0]).toEqual([MANY, true])
    expect(await history()).toHaveLength(made)
    expect(await shown()).toBe('Its own')
    expect(await agree()).toEqual([])
  })

  test('while the domain is taken from the organization: no later save is made', async () => {
    const own = `own-${count}.example`
    const secret = await enrol(registry, { org: `Loser ${count}`, domains: [own] })
    domain = own
    const remove = Operation.parse({
      op: 'organization.domain.remove',
      org: `Loser ${count}`,
      domain,
    })
    const [answers] = await Promise.all([
      many(async i => {
        await new Promise(resolve => setTimeout(resolve, i * 4))
        return save(`Name ${i}`, undefined, secret)
      }),
      new Promise(resolve => setTimeout(resolve, 60)).then(() => registry.submit(remove)),
    ])
    const made = answers.filter(({ statusCode }) => statusCode === 200).length
    const refused = answers.filter(({ statusCode }) => statusCode === 403).length
    expect([made + refused, refused > 0]).toEqual([MANY, true])
    expect(await history()).toHaveLength(made)
    expect((await save('Afterwards', undefined, secret)).statusCode).toBe(403)
  })
})

test('saves in a row end with the revocation of their key', async () => {
  const org = `Revoked ${count}`
  const secret = await registry.createKey(org)
  domain = `revoked-${count}.example`
  await proveOwnership(registry, org, domain)
  const [held] = await registry.sequencer.accounts.db.all<{ key_id: string; org_id: string }>(
    `select key_id, org_id from api_keys join organizations using (org_id) where name = '${org}'`,
  )
  let made = 0
  let isRevoked = false
  const sender = async (i: number) => {
    for (let n = 0; ; n++) {
      const wasRevoked = isRevoked
      const { statusCode } = await save(`Name ${i} ${n}`, undefined, secret)
      if (statusCode === 401) return n
      expect([statusCode, wasRevoked]).toEqual([200, false])
      made++
    }
  }
  const revoke = async () => {
    await expect.poll(() => made).toBeGreaterThan(8)
    await registry.submit(Operation.parse({ op: 'key.revoke', ...held }))
    isRevoked = true
  }
  await Promise.all([...Array.from({ length: 8 }, (_, i) => sender(i)), revoke()])
  expect(made).toBeGreaterThan(0)
  expect(await history()).toHaveLength(made)
})

test('a save that waits while its key is revoked is refused, and may be repeated with another key', async () => {
  const org = `Waiting ${count}`
  const secret = await registry.createKey(org)
  domain = `waiting-${count}.example`
  await proveOwnership(registry, org, domain)
  const [held] = await registry.sequencer.accounts.db.all<{ key_id: string; org_id: string }>(
    `select key_id, org_id from api_keys join organizations using (org_id) where name = '${org}'`,
  )
  const revoke = Operation.parse({ op: 'key.revoke', ...held })
  let resume = () => {}
  const busy = registry.sequencer.quietly(
    () =>
      new Promise<void>(resolve => {
        resume = resolve
      }),
  )
  const revoking = registry.submit(revoke)
  const saving = save('Too late', 'once', secret)
  await expect.poll(() => registry.submitted.at(-1)).toMatchObject({ domain })
  resume()
  const [late] = await Promise.all([saving, revoking, busy])
  expect([late.statusCode, late.json().error]).toEqual([401, 'The credential is invalid.'])
  expect(await history()).toEqual([])

  const other = `sk_${randomUUID()}`
  const hash = createHash('sha256').update(other).digest('hex')
  const made = { op: 'key.create', key_id: randomUUID(), org, label: '', hash }
  await registry.submit(Operation.parse(made))
  expect((await save('Too late', 'once', other)).statusCode).toBe(200)

  await registry.restart()
  const by = { kind: 'key' as const, id: held!.key_id, org_id: held!.org_id }
  const operation = registry.submitted.findLast(({ op }) => op === 'brand.save')!
  const again = { submission_id: randomUUID(), operation, by }
  const { answers } = await registry.sequencer.commit({ observations: [], submissions: [again] })
  expect(answers.get(again.submission_id)).toMatchObject({ error: 'unauthenticated' })
})

test('an Idempotency-Key counts for one organization and one path', async () => {
  const secret = await enrol(registry, { org: 'Other', domains: ['other.example'] })
  expect((await save('Mine', 'shared')).statusCode).toBe(200)
  const theirs = await save('Mine', 'shared', secret)
  expect([theirs.statusCode, theirs.json().code]).toEqual([403, 'ownership_proof_required'])
  const properties = await registry.send('POST', '/api/properties/save', {
    key,
    headers: { 'idempotency-key': 'shared' },
    payload: { publisher_domain: domain },
  })
  expect(properties.statusCode).toBe(200)
})

test('an id chosen by the caller is no submission id', async () => {
  const revision_id = randomUUID()
  const answer = await registry.send('POST', '/api/brands/save', {
    key,
    payload: {
      domain,
      brand_name: 'Mine',
      revision_id,
      submission_id: revision_id,
      op: 'key.create',
      editor: { kind: 'user', id: 'somebody', org_id: null },
    },
  })
  expect(answer.statusCode).toBe(200)
  const rows = await registry.sequencer.index.all(
    'select revision_id from revisions where domain = $domain',
    { domain },
  )
  expect(rows).not.toContainEqual({ revision_id })
  expect(registry.submitted.at(-1)).toMatchObject({ op: 'brand.save', editor: { kind: 'key' } })
})
