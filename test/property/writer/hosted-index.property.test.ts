import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Domain } from '../../../pipeline/core/domain.ts'
import { checkIndex } from '../../../pipeline/maintenance/verify/check-index.ts'
import type { AdagentsDocument, BrandDocument } from '../../../pipeline/model/documents/index.ts'
import { buildHostedAddress } from '../../../pipeline/model/hosted.ts'
import type { Observation } from '../../../pipeline/model/observation.ts'
import type { Operation, Submission } from '../../../pipeline/model/submission.ts'
import { Replica, readReplicaState } from '../../support/clients/replica.ts'
import { observeBrandFile, observePublisherFile } from '../../support/fixtures/documents.ts'
import { type MemoryIndex, openMemoryIndex } from '../../support/registry/memory-index.ts'
import { testClock } from '../../support/worlds/clock.ts'

const base = 'https://registry.example'
const domains = ['a.example', 'b.example'] as Domain[]
const editor = { kind: 'key', id: 'k', org_id: null } as const

/** Event of a domain: a save, or a reading of its own file. */
const happening = fc.record({
  domain: fc.constantFrom(...domains),
  what: fc.constantFrom(
    'told',
    'untold',
    'brand',
    'points',
    'points there',
    'own',
    'gone',
    'own brand',
    'points brand',
  ),
  name: fc.constantFrom('One', 'Two'),
})
type Happening = typeof happening extends fc.Arbitrary<infer Value> ? Value : never

function buildSaves({ domain, what, name }: Happening): Operation[] {
  const common = { revision_id: randomUUID(), domain, editor }
  const identifiers = name === 'One' ? [] : [{ type: 'domain' as const, value: domain }]
  const site = { type: 'website', name, identifiers, tags: [] }
  if (what === 'told') return [{ op: 'property.save', ...common, properties: [site] }]
  if (what === 'untold') return [{ op: 'property.save', ...common, properties: [] }]
  if (what === 'brand') return [{ op: 'brand.save', ...common, brand_name: name }]
  return []
}

function read({ domain, what, name }: Happening, observed_at: number): Observation[] {
  const complete = (draft: Pick<Observation, 'kind' | 'location' | 'document'>): Observation[] => [
    { ...draft, observed_at, outcome: 'ok', status: 200, hash: `${what} ${name}` },
  ]
  const pointing = (kind: 'adagents.json' | 'brand.json', whose: string, variant: string) => {
    const authoritative_location = `${buildHostedAddress(base, kind, whose)}?claim=${name}`
    const document = { variant, authoritative_location } as AdagentsDocument | BrandDocument
    return complete({ kind, location: domain, document })
  }
  const other = domains.find(name => name !== domain)!
  if (what === 'points') return pointing('adagents.json', domain, 'pointer')
  if (what === 'points there') return pointing('adagents.json', other, 'pointer')
  if (what === 'points brand') return pointing('brand.json', domain, 'authoritative_location')
  const agents = ['https://agent.example/mcp']
  if (what === 'own') return complete(observePublisherFile(domain, { sites: [domain], agents }))
  if (what === 'gone') {
    const source = { kind: 'adagents.json', location: domain } as const
    return [{ ...source, observed_at, outcome: 'absent', status: 404 }]
  }
  if (what === 'own brand') return complete(observeBrandFile(domain, name))
  return []
}

async function readContents({ db }: MemoryIndex) {
  const all = async (sql: string) =>
    (await db.all<Record<string, unknown>>(sql)).map(({ seq: _, changed_at: __, ...row }) => row)
  return {
    brands: await all('select * from brands order by domain'),
    publishers: await all('select * from publishers order by domain'),
    properties: await all('select * from properties order by property_rid'),
    grants: await all('select * from authorizations order by id'),
  }
}

test('hosted files of domains that point to them equal a fresh derivation, whatever happened', async () => {
  const clock = testClock('2026-11-20T03:00Z')
  const index = await openMemoryIndex(clock, { hostingBase: base })
  let hosted = 0
  const run = async (happenings: readonly Happening[]) => {
    await index.clear()
    await index.db.run('update meta set seq = 1e9')
    const replica = new Replica()
    for (const happening of happenings) {
      const now = clock.tick({ hours: happening.what === 'gone' ? 30 : 3 })
      const submissions = buildSaves(happening).map(
        (operation): Submission => ({ submission_id: randomUUID(), operation }),
      )
      const events = await index.commit({ submissions, observations: read(happening, now) })
      // Whoever knows nothing but the feed has the properties that the index has, with their sources.
      replica.apply(events)
      expect(replica.state.properties).toEqual((await readReplicaState(index.db)).properties)
      expect((await checkIndex(index.db)).filter(wrong => /told|active prop/.test(wrong))).toEqual(
        [],
      )
      const before = await readContents(index)
      expect(await index.deriveEverything()).toEqual([])
      expect(await readContents(index)).toEqual(before)
      const fetched = await index.db.all(
        `select location from crawl_state where starts_with(location, $base)`,
        { base },
      )
      expect(fetched).toEqual([])
      hosted += before.publishers.filter(row =>
        String((row as { resolved_location: string }).resolved_location).startsWith(base),
      ).length
    }
  }
  await fc.assert(fc.asyncProperty(fc.array(happening, { minLength: 1, maxLength: 8 }), run), {
    numRuns: 40,
    seed: 20_261_120,
  })
  expect(hosted).toBeGreaterThan(10)
  index.close()
})
