import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { findKeyHolder } from '../../api/auth/principal.ts'
import { type AuditWanted, listAuditRows } from '../../pipeline/accounts/audit.ts'
import { DAY } from '../../pipeline/core/clock.ts'
import type { Operation } from '../../pipeline/model/submission.ts'
import { openRegistry } from '../support/registry/app.ts'
import { enrol } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const registry = openForAll(() => openRegistry({ ownRedis: true }))
let secret: string

beforeAll(async () => {
  secret = await enrol(registry, { org: 'Acme', domains: ['acme.example'] })
})

const rows = (wanted: Partial<AuditWanted> = {}) =>
  listAuditRows(registry.sequencer.accounts.db, { limit: 100, ...wanted })

function save(brand_name: string, domain = 'acme.example') {
  return registry.send('POST', '/api/brands/save', { key: secret, payload: { domain, brand_name } })
}

describe('the audit', () => {
  test('records who saved a brand, for whom, in which request, what, and the result', async () => {
    const answer = await save('Acme')
    expect(answer.statusCode, answer.body).toBe(200)
    const principal = findKeyHolder(registry.reader, secret)!
    const [row, ...others] = await rows({ operation: 'brand.save' })
    expect(others).toEqual([])
    expect(row).toMatchObject({
      by_kind: 'key',
      by_id: principal.id,
      org_id: principal.org_id,
      content: { domain: 'acme.example', brand_name: 'Acme' },
      answer: { done: {} },
      seq: registry.sequencer.seq,
      submitted_at: new Date(registry.clock.now()).toISOString(),
    })
    expect(row!.request_id).toMatch(/^[0-9a-f]{8}-[0-9a-z]+$/)
    await save('Acme again')
    const [again] = await rows({ operation: 'brand.save' })
    expect(again!.request_id).not.toBe(row!.request_id)
    expect(await rows({ id: row!.submission_id })).toEqual([row])
  })

  test('keeps refusals too', async () => {
    const readmit: Operation = { op: 'domain.readmit', domain: 'acme.example' as never }
    await registry.submit(readmit)
    expect(await rows({ operation: 'domain.readmit' })).toMatchObject([
      { answer: { refused: 'acme.example is not taken down', error: 'not_found' } },
    ])
  })

  test('is filtered by actor, organization, operation, domain and time', async () => {
    const principal = findKeyHolder(registry.reader, secret)!
    const all = await rows()
    const saves = all.filter(row => row.operation === 'brand.save')
    expect(saves).toHaveLength(2)
    expect(await rows({ by: principal.id })).toEqual(saves)
    expect(await rows({ by: principal.org_id! })).toEqual(saves)
    expect(await rows({ by: 'key' })).toEqual(saves)
    expect(await rows({ operation: 'member.' })).not.toEqual([])
    expect(await rows({ operation: 'member' })).toEqual([])
    expect(await rows({ domain: 'acme.example', operation: 'brand.save' })).toEqual(saves)
    expect(await rows({ domain: 'cme.example' })).toEqual([])
    expect(await rows({ since: registry.clock.now() + 1 })).toEqual([])
    expect(await rows({ limit: 1 })).toEqual(all.slice(0, 1))
  })

  test('contains no secret and no hash of one', async () => {
    const hash = createHash('sha256').update(secret).digest('hex')
    const [made] = await rows({ operation: 'key.create' })
    expect(made!.content).toMatchObject({ org: 'Acme' })
    expect(JSON.stringify(await rows())).not.toContain(hash)
  })

  test('deletes additions of domains after a day and keeps everything else, in both stores', async () => {
    const add = (domain: string): Operation => ({
      op: 'domains.add',
      domains: [domain as never],
      again: false,
      why: 'demanded',
    })
    await registry.submit(add('first.example'))
    const before = await rows()
    registry.clock.tick(DAY + 1)
    await registry.submit(add('second.example'))
    registry.clock.tick(DAY)
    await registry.submit(add('third.example'))
    await registry.sequencer.retain()
    const after = await rows()
    expect(after.filter(row => row.operation === 'domains.add')).toMatchObject([
      { content: { domains: ['third.example'] } },
      { content: { domains: ['second.example'] } },
    ])
    expect(after.slice(2)).toEqual(before.filter(row => row.operation !== 'domains.add'))
    expect(await registry.verify()).toEqual([])
  })
})
