import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Domain } from '../../../pipeline/core/domain.ts'
import { checkIndex } from '../../../pipeline/maintenance/verify/check-index.ts'
import type { Identifier } from '../../../pipeline/model/documents/index.ts'
import type { EntryRow, PropertyRow, RevisionRow } from '../../../pipeline/model/rows.ts'
import type { HostedProperty } from '../../../pipeline/model/save.ts'
import type { Operation, Submission } from '../../../pipeline/model/submission.ts'
import { toIdentifierKey } from '../../../pipeline/resolve/identifiers.ts'
import { observeFile } from '../../support/fixtures/observations.ts'
import { type MemoryIndex, openMemoryIndex } from '../../support/registry/memory-index.ts'
import { testClock } from '../../support/worlds/clock.ts'

const editor = { kind: 'key', id: 'k', org_id: null } as const
const domain = fc.constantFrom('a.example', 'b.example') as fc.Arbitrary<Domain>
const manifest = fc.option(fc.dictionary(fc.constantFrom('a', 'b'), fc.string({ maxLength: 3 })), {
  nil: null,
})
const name = fc.constantFrom('One', 'Two', 'Three')
const identifier = fc.constantFrom('a.example', 'www.a.example')
const property = fc.record({
  type: fc.constantFrom('website', 'podcast'),
  name,
  identifiers: fc.uniqueArray(
    identifier.map(value => ({ type: 'domain' as const, value })),
    { maxLength: 1, selector: ({ value }) => value },
  ),
  tags: fc.constant<string[]>([]),
})

const operation = fc.oneof(
  fc.record({ op: fc.constant('brand.save' as const), domain, brand_name: name }),
  fc.record({
    op: fc.constant('brand.save' as const),
    domain,
    brand_name: name,
    brand_manifest: manifest,
  }),
  fc.record({
    op: fc.constant('brand.enrich' as const),
    domain,
    found_at: fc.constant('2026-11-20T03:00:00Z'),
    enrichment: name.map(found => ({
      provider: 'home_page' as const,
      manifest: { name: found, url: 'https://a.example/' },
    })),
  }),
  fc.record({
    op: fc.constant('property.save' as const),
    domain,
    properties: fc.array(property, { maxLength: 3 }),
  }),
  fc.record({
    op: fc.constant('entry.rollback' as const),
    domain,
    entity: fc.constantFrom('brand' as const, 'property' as const),
    to_revision: fc.integer({ min: 1, max: 4 }),
    moderates: fc.constant(true),
  }),
)

type Asked = typeof operation extends fc.Arbitrary<infer Value> ? Value : never

function buildSubmission(asked: Asked): Submission {
  const id = randomUUID()
  return { submission_id: id, operation: { ...asked, revision_id: id, editor } as Operation }
}

/** Builds a file of a publisher that names one of the websites. */
function buildFile(index: number, at: number) {
  const value = ['a.example', 'www.a.example'][index]!
  const listed = { property_type: 'website', name: 'One', identifiers: [{ type: 'domain', value }] }
  return observeFile(
    'adagents.json',
    'a.example',
    { properties: [listed], authorized_agents: [] },
    at,
  )
}

async function check({ db }: MemoryIndex): Promise<void> {
  // Nobody counts commits and events in an index without a sequencer.
  const wrong = await checkIndex(db)
  expect(wrong.filter(sentence => !sentence.includes('the last one issued'))).toEqual([])
  const entries = await db.all<EntryRow>('select * from entries order by entity, domain')
  const revisions = await db.all<RevisionRow>(
    'select * from revisions order by domain, revision_number',
  )
  for (const entry of entries) {
    const own = revisions.filter(row => row.entity === entry.entity && row.domain === entry.domain)
    expect(own.map(row => row.revision_number)).toEqual(own.map((_, i) => i + 1))
    const { source, status, brand_name, document, contact_id } = entry
    expect(own.at(-1)!.state).toEqual({ source, status, brand_name, document, contact_id })
    expect(entry.entry_id).toBe(own[0]!.revision_id)
    for (const back of own.filter(row => row.is_rollback)) {
      expect(back.state).toEqual(own[back.rolled_back_to! - 1]!.state)
    }
  }
}

test('an entry equals its last revision, however it was edited and delivered', async () => {
  const clock = testClock('2026-11-20T03:00Z')
  const index = await openMemoryIndex(clock)
  const step = fc.record({
    batch: fc.array(operation, { minLength: 1, maxLength: 4 }),
    again: fc.boolean(),
  })
  const loadRecords = () =>
    index.db.all<PropertyRow>(`select * from properties where publisher_domain = 'a.example'`)
  const run = async (steps: readonly { batch: Asked[]; again: boolean }[], crawled: number) => {
    await index.clear()
    await index.db.run('update meta set seq = 1e9')
    for (const { batch, again } of steps) {
      clock.tick({ minutes: 1 })
      const submissions = batch.map(buildSubmission)
      await index.commit({ submissions })
      if (again) await index.commit({ submissions })
      await check(index)
    }
    const [hosted] = await index.db.all<EntryRow>(
      `select * from entries where entity = 'property' and domain = 'a.example'`,
    )
    const before = await loadRecords()
    await index.commit([buildFile(crawled, clock.tick({ minutes: 1 }))])
    await check(index)
    const [row] = (await loadRecords()).filter(({ source }) => source === 'authoritative')
    const properties = (hosted?.document.properties ?? []) as HostedProperty[]
    // `www.` and the bare name are one identifier.
    const toKey = ({ identifiers }: { identifiers: Identifier[] }) =>
      identifiers[0] && toIdentifierKey(identifiers[0])
    const isSame = (property: { identifiers: Identifier[] }) => toKey(property) === toKey(row!)
    const same = properties.filter(isSame)
    // A website that was dropped from the entry is recognised too, before what is of another type.
    const websites = [...same, ...before.filter(isSame)].filter(
      ({ property_type }) => property_type === 'website',
    )
    // A podcast at the same domain is another property.
    const keepsRid = websites.some(({ property_rid }) => property_rid === row!.property_rid)
    if (same.length > 0) expect(keepsRid).toBe(websites.length > 0)
  }
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), fc.nat({ max: 1 }), run),
    { numRuns: 25 },
  )
  index.close()
})
