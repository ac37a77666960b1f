import { beforeAll, describe, expect, test } from 'vitest'
import type { AdagentsInline, PropertyEntry } from '../../pipeline/model/documents/index.ts'
import { findReview, listReviews } from '../../pipeline/read/lookups/reviews.ts'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { openRegistry } from '../support/registry/app.ts'
import { publishToMemory } from '../support/registry/published-tables.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const registry = openForAll(() => openRegistry({ ownRedis: true }))
let key: string
const provenance = { type: 'ssp_inventory' }

beforeAll(async () => {
  key = await registry.createKey('Acme')
  await registry.observe(
    observePublisherFile('known.example', { sites: ['known.example'], agents: [] }),
    observePublisherFile('other.example', { sites: ['other.example'], agents: [] }),
  )
  await registry.publish()
})

const ask = (method: 'GET' | 'POST', path: string, payload?: object, secret?: string) =>
  registry.send(method, `/api/registry/${path}`, { key: secret, payload })
const resolve = (values: string[], type = 'domain', secret: string | undefined = key) =>
  ask(
    'POST',
    'resolve',
    { identifiers: values.map(value => ({ type, value })), provenance },
    secret,
  )
const propertyRows = () =>
  registry.sequencer.index.all<{ name: string; source: string; status: string; rid: string }>(
    'select name, source, status, property_rid as rid from properties order by name, rid',
  )

describe('POST /api/registry/resolve', () => {
  test('401: contributing requires a credential, and the input is checked', async () => {
    const anonymous = await resolve(['new.example'], 'domain', '')
    expect(anonymous.statusCode).toBe(401)
    expect((await resolve(['new.example'], 'domain', 'sk_nobody')).statusCode).toBe(401)
    expect((await propertyRows()).map(({ name }) => name)).not.toContain('new.example')
  })

  test('200: an unknown identifier creates a property, a repeated one only one', async () => {
    const names = ['known.example', 'www.new.example', 'NEW.example', 'doubleclick.net', 'x']
    const { resolved, summary } = (await resolve(names)).json()
    expect(summary).toEqual({ total: 5, resolved: 3, created: 1, excluded: 2, not_found: 0 })
    expect(resolved.map(({ status }: { status: string }) => status)).toEqual([
      'existing',
      'created',
      'existing',
      'excluded',
      'excluded',
    ])
    expect(resolved[1]).toEqual({
      identifier: { type: 'domain', value: 'new.example' },
      property_rid: resolved[2].property_rid,
      classification: 'property',
      status: 'created',
      source: 'contributed',
    })
    expect(resolved[3]).toMatchObject({ property_rid: null, classification: 'ad_infra' })
    const events = await registry.sequencer.index.all(
      "select event_type, actor, entity_id from events where actor = 'registry:contribution'",
    )
    expect(events).toEqual([
      {
        event_type: 'property.created',
        actor: 'registry:contribution',
        entity_id: resolved[1].property_rid,
      },
    ])
  })

  test('200: a repeated contribution finds the same property, before and after publication', async () => {
    const resolveRid = async () => (await resolve(['new.example'])).json().resolved[0]
    const before = await resolveRid()
    expect(before).toMatchObject({ status: 'existing', source: 'contributed' })
    await registry.publish()
    expect(await resolveRid()).toEqual(before)
    const { entries } = (await ask('GET', 'catalog?source=contributed')).json()
    expect(entries).toMatchObject([
      { property_rid: before.property_rid, publisher_domain: 'new.example', status: 'active' },
    ])
    const app = (await resolve(['com.example.app'], 'ios_bundle')).json().resolved[0]
    expect(app).toMatchObject({ status: 'created' })
  })

  test('the host’s own file takes over the property with its rid', async () => {
    const [before] = (await propertyRows()).filter(({ name }) => name === 'new.example')
    await registry.observe(
      observePublisherFile('new.example', { sites: ['new.example'], agents: [] }),
    )
    const after = (await propertyRows()).filter(({ rid }) => rid === before!.rid)
    expect(after).toMatchObject([{ source: 'authoritative', status: 'active' }])
    const twice = (await propertyRows()).filter(({ name }) => name.includes('new.example'))
    expect(twice.length).toBeLessThanOrEqual(1)
    expect(await registry.verify()).toEqual([])
  })

  test('a host’s own file with a contributed property makes it the publisher’s, and the feed reports it', async () => {
    const { property_rid: rid } = (await resolve(['same.example'])).json().resolved[0]
    const file = observePublisherFile('same.example', { sites: ['same.example'], agents: [] })
    const document = file.document as AdagentsInline
    const [{ property_id: _, ...same }] = document.properties as [PropertyEntry]
    const properties = [{ ...same, tags: [], supported_channels: [] }]
    await registry.observe({ ...file, document: { ...document, properties } })
    const events = await registry.sequencer.index.all<{ payload: object }>(
      `select payload from events where event_type = 'property.updated' and entity_id = '${rid}'`,
    )
    expect(events.map(({ payload }) => payload)).toMatchObject([
      { changed_fields: ['source'], source: 'authoritative' },
    ])
    expect((await propertyRows()).find(row => row.rid === rid)!.source).toBe('authoritative')
  })

  test('200: what a publisher published since the last snapshot is known', async () => {
    await registry.observe(
      observePublisherFile('late.example', { sites: ['late.example'], agents: [] }),
    )
    const { resolved } = (await resolve(['late.example'])).json()
    const late = await registry.sequencer.index.one<{ rid: string }>(
      "select property_rid as rid from properties where publisher_domain = 'late.example'",
    )
    expect(resolved[0]).toMatchObject({ status: 'existing', property_rid: late!.rid })
  })

  test('only the accounts know who contributed', async () => {
    const { accounts } = registry.sequencer
    const rows = await accounts.db.all<{ provenance: string }>('select * from contributions')
    expect(rows.length).toBeGreaterThan(0)
    expect(rows[0]!.provenance).toBe('ssp_inventory')
    const published = await publishToMemory(accounts.db)
    const tables = await published.all<{ name: string }>(
      'select distinct table_name as name from duckdb_tables()',
    )
    published.close()
    expect(tables.length).toBeGreaterThan(20)
    expect(tables).not.toContainEqual({ name: 'contributions' })
  })
})

describe('disputes', () => {
  const claim = 'This is not their site; write to ada@reporter.example about it.'
  const dispute = {
    dispute_type: 'identifier_link',
    subject_type: 'identifier',
    subject_value: 'domain:known.example',
    claim,
    evidence: 'see ada@reporter.example',
  }
  const file = (payload: object, secret = key) => ask('POST', 'catalog/disputes', payload, secret)
  const read = async (id: string) => (await ask('GET', `catalog/disputes/${id}`)).json()
  let id: string

  test('200: a dispute waits for a moderator and is public, without its author', async () => {
    const filed = await file(dispute)
    expect(filed.json()).toMatchObject({ action_taken: 'queued_for_review' })
    id = filed.json().dispute_id
    const shown = await read(id)
    expect(shown).toEqual({
      id,
      dispute_type: 'identifier_link',
      subject_type: 'identifier',
      subject_value: 'domain:known.example',
      status: 'open',
      claim: 'This is not their site; write to [address] about it.',
      evidence: 'see [address]',
      created_at: '2026-11-20T03:00:00.000Z',
    })
    expect(JSON.stringify(shown)).not.toMatch(/Acme|@/)
  })

  test('200: a repeated dispute is the same one while it is open', async () => {
    const again = await file({ ...dispute, claim: 'It belongs to somebody else.' })
    expect(again.json().dispute_id).toBe(id)
    expect((await read(id)).claim).toBe('It belongs to somebody else.')
    const other = await registry.createKey('Other')
    expect((await file(dispute, other)).json().dispute_id).not.toBe(id)
  })

  test('a moderator decides it', async () => {
    const waiting = listReviews(registry.reader, ({ kind }) => kind === 'dispute')
    expect(waiting).toHaveLength(2)
    const { digest } = findReview(registry.reader, id)!.review
    registry.clock.tick(1_000)
    const decision = { review_id: id, digest, reviewer: 'operator', notes: 'they are right' }
    await registry.submit({ op: 'review.approve', ...decision })
    expect(await read(id)).toMatchObject({
      status: 'resolved',
      resolved_at: '2026-11-20T03:00:01.000Z',
    })
    expect((await file(dispute)).json().dispute_id).not.toBe(id)
  })

  test('200: a link that only a contributor asserts is suspended, and restored when the dispute is rejected', async () => {
    const lookUp = async () => {
      await registry.publish()
      const identifiers = [{ type: 'domain', value: 'weak.example' }]
      const { resolved } = (
        await ask('POST', 'resolve', { identifiers, provenance, mode: 'lookup' })
      ).json()
      return resolved[0].property_rid
    }
    const [made] = (await resolve(['weak.example'])).json().resolved
    expect(await lookUp()).toBe(made.property_rid)
    const filed = (await file({ ...dispute, subject_value: 'domain:weak.example' })).json()
    expect(filed.action_taken).toBe('link_suspended')
    expect(await lookUp()).toBeNull()
    expect((await resolve(['weak.example'])).json().resolved[0]).toMatchObject({
      status: 'excluded',
      property_rid: null,
    })
    const { digest } = findReview(registry.reader, filed.dispute_id)!.review
    const decision = { review_id: filed.dispute_id, digest, reviewer: 'operator' }
    await registry.submit({ op: 'review.reject', ...decision, notes: 'it is theirs' })
    expect(await lookUp()).toBe(made.property_rid)
    expect(await read(filed.dispute_id)).toMatchObject({ status: 'rejected' })
    const events = await registry.sequencer.index.all<{ type: string }>(
      "select event_type as type from events where actor = 'registry:dispute' order by event_id",
    )
    expect(events.map(({ type }) => type)).toEqual(['property.stale', 'property.reactivated'])
    expect(await registry.verify()).toEqual([])
  })

  test('400, 401 and 404', async () => {
    expect((await file({ ...dispute, claim: 'short' })).statusCode).toBe(400)
    expect((await file({ ...dispute, dispute_type: 'x' })).statusCode).toBe(400)
    expect((await file(dispute, 'sk_nobody')).statusCode).toBe(401)
    expect((await ask('GET', 'catalog/disputes/x')).statusCode).toBe(404)
  })
})
