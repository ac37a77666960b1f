import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkIndex } from '../../../pipeline/maintenance/verify/check-index.ts'
import { findRefusedMerges } from '../../../pipeline/writer/entities/refused-merges.ts'
import { observeFile } from '../../support/fixtures/observations.ts'
import { type MemoryIndex, withIndex } from '../../support/registry/memory-index.ts'
import { buildMerge } from '../../support/registry/merging-registry.ts'
import { testClock } from '../../support/worlds/clock.ts'

const publishers = ['acme.example', 'harbour.example'] as const
const THINGS = 3

/** A person merges two of the known properties, or a night brings files that list some things. */
type Step = { merge: [number, number] } | { listed: boolean[]; moved: boolean }

const which = fc.nat({ max: publishers.length * THINGS - 1 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ merge: fc.tuple(which, which) }) },
  fc.record({
    listed: fc.array(fc.boolean(), { minLength: 2 * THINGS, maxLength: 2 * THINGS }),
    moved: fc.boolean(),
  }),
)
const path = fc.array(step, { minLength: 2, maxLength: 8 })

/**
 * Builds files in which things of both publishers share an app and an agent; one identifier of each
 * comes and goes.
 */
function buildFiles(listed: readonly boolean[], moved: boolean): Record<string, object> {
  const properties = (p: number) =>
    Array.from({ length: THINGS }, (_, n) => n)
      .filter(n => listed[p * THINGS + n])
      .map(n => ({
        property_id: `p${n}`,
        property_type: 'website',
        name: `Thing ${n}`,
        identifiers: [
          { type: 'domain', value: `p${n}.${publishers[p]}` },
          { type: 'domain', value: `${moved ? 'late' : 'early'}${n}.${publishers[p]}` },
          { type: 'ios_bundle', value: `app.${n}` },
        ],
      }))
  return Object.fromEntries(
    publishers.map((domain, p) => [
      domain,
      {
        properties: properties(p),
        authorized_agents: ['sales.example', domain].map(host => ({
          url: `https://${host}`,
          authorized_for: 'All',
          authorization_type: 'property_ids',
          property_ids: ['p0', 'p1', 'p2'],
        })),
      },
    ]),
  )
}

/** Expected answer of each rid, after merges by people one after the other. */
class Expected {
  readonly #leads: Map<string, string>

  constructor(rids: readonly string[]) {
    this.#leads = new Map(rids.map(rid => [rid, rid]))
  }

  accepts(alias: string, canonical: string): boolean {
    const isLive = (rid: string) => this.#leads.get(rid) === rid
    return alias !== canonical && isLive(alias) && isLive(canonical)
  }

  merge(alias: string, canonical: string): void {
    for (const [rid, led] of this.#leads) if (led === alias) this.#leads.set(rid, canonical)
  }

  get entries(): string[][] {
    return [...this.#leads].sort()
  }

  get live(): string[] {
    return [...new Set(this.#leads.values())].sort()
  }
}

async function listAliases({ db }: MemoryIndex): Promise<string[][]> {
  const rows = await db.all<{ rid: string; led: string }>(
    `select p.property_rid as rid, coalesce(a.canonical_rid, p.property_rid) as led
     from properties p left join aliases a on a.alias_rid = p.property_rid order by rid`,
  )
  return rows.map(({ rid, led }) => [rid, led])
}

async function listStored({ db }: MemoryIndex): Promise<string[]> {
  const rows = await db.all<{ rid: string }>(
    `select property_rid as rid from properties where status != 'removed' order by rid`,
  )
  return rows.map(({ rid }) => rid)
}

async function listFaults({ db }: MemoryIndex): Promise<string[]> {
  // Nobody counts commits and events in an index without a sequencer.
  await db.run('delete from meta')
  return checkIndex(db)
}

async function runSteps(steps: readonly Step[]): Promise<void> {
  const clock = testClock('2026-11-20T03:00Z')
  await withIndex(clock, async index => {
    const night = async (files: Record<string, object>) => {
      const at = clock.tick({ days: 1 })
      const observations = Object.entries(files).map(([domain, file]) =>
        observeFile('adagents.json', domain, file, at),
      )
      return (await index.commit(observations)).map(event => event.event_type)
    }
    let files = buildFiles(Array(6).fill(true), false)
    await night(files)
    const rids = (await listAliases(index)).map(([rid]) => rid!)
    const expected = new Expected(rids)
    for (const step of steps) {
      if ('merge' in step) {
        const [alias, canonical] = step.merge.map(n => rids[n]!) as [string, string]
        const accepted = expected.accepts(alias, canonical)
        const merge = buildMerge('property', alias, canonical)
        expect((await findRefusedMerges(index.db, [merge])).size).toBe(accepted ? 0 : 1)
        if (!accepted) continue
        expected.merge(alias, canonical)
        const events = await index.commit({ submissions: [merge] })
        expect(events.map(event => event.event_type)).not.toContain('property.created')
      } else {
        files = buildFiles(step.listed, step.moved)
        expect(await night(files)).not.toContain('property.created')
      }
      expect(await listAliases(index)).toEqual(expected.entries)
      expect(await listStored(index)).toEqual(expected.live)
      expect(await listFaults(index)).toEqual([])
      expect(await night(files)).toEqual([])
    }
    expect(await listFaults(index)).toEqual([])
  })
}

describe('properties that are merged in any order, between nights of any files', () => {
  it('each have exactly one living record, and later nights change nothing', async () => {
    const nothingAccepted: Step[] = [{ merge: [4, 4] }, { merge: [0, 0] }]
    await fc.assert(fc.asyncProperty(path, runSteps), {
      numRuns: 8,
      examples: [[nothingAccepted]],
    })
  })
})
