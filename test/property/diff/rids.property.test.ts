import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../../pipeline/core/outcomes.ts'
import { observeFile, observeOutcome } from '../../support/fixtures/observations.ts'
import { type MemoryIndex, withIndex } from '../../support/registry/memory-index.ts'
import { type TestClock, testClock } from '../../support/worlds/clock.ts'

const publishers = ['acme.example', 'harbour.example'] as const

/** Change of one thing of a publisher before a file is read again. */
interface ThingTurn {
  listed: boolean
  /** One identifier goes and another comes; two stay. */
  moved: boolean
  renamed: boolean
}

interface Night {
  found: 'file' | 'page' | Outcome
  things: ThingTurn[]
  reversed: boolean
}

const turn: fc.Arbitrary<ThingTurn> = fc.record({
  listed: fc.boolean(),
  moved: fc.boolean(),
  renamed: fc.boolean(),
})
const night: fc.Arbitrary<Night> = fc.record({
  found: fc.oneof(
    { weight: 3, arbitrary: fc.constant('file' as const) },
    fc.constantFrom(
      'page' as const,
      'absent' as const,
      'server_error' as const,
      'unchanged' as const,
    ),
  ),
  things: fc.array(turn, { minLength: 4, maxLength: 4 }),
  reversed: fc.boolean(),
})
const nights = fc.array(fc.tuple(night, night), { minLength: 2, maxLength: 6 })

/** A thing as its publisher's last file had it. Both publishers use the same slugs and app ids. */
interface Thing {
  moves: number
  names: number
}

function buildEntry(domain: string, n: number, { moves, names }: Thing): object {
  const hosts = [0, 1, 2].map(k => `p${n}-${moves + k}.${domain}`)
  return {
    property_id: `p${n}_${names}`,
    property_type: 'website',
    name: `Thing ${n}`,
    identifiers: [
      ...hosts.map(value => ({ type: 'domain', value })),
      { type: 'ios_bundle', value: `app.${n}` },
    ],
  }
}

class Publisher {
  readonly domain: string
  readonly rids = new Map<number, string>()
  readonly #things: Thing[] = [0, 1, 2, 3].map(() => ({ moves: 0, names: 0 }))

  constructor(domain: string) {
    this.domain = domain
  }

  /** Returns the observation of the night's crawl, and the things that it names. */
  sighting({ found, things, reversed }: Night, clock: TestClock) {
    const at = clock.now()
    if (found === 'page')
      return { observation: observeFile('adagents.json', this.domain, '<html>', at), listed: [] }
    if (found !== 'file')
      return { observation: observeOutcome(found, 'adagents.json', this.domain, at), listed: [] }
    const listed = things.flatMap((turn, n) => (turn.listed ? [n] : []))
    for (const n of listed) {
      this.#things[n]!.moves += things[n]!.moved ? 1 : 0
      this.#things[n]!.names += things[n]!.renamed ? 1 : 0
    }
    const properties = listed.map(n => buildEntry(this.domain, n, this.#things[n]!))
    if (reversed) properties.reverse()
    const file = { authorized_agents: [], properties }
    return { observation: observeFile('adagents.json', this.domain, file, at), listed }
  }
}

interface Row {
  property_rid: string
  publisher_domain: string
  status: string
  thing: number
}

async function listRows({ db }: MemoryIndex): Promise<Row[]> {
  return db.all<Row>(
    `select property_rid, publisher_domain, status, cast(substr(name, 7) as integer) as thing from properties`,
  )
}

async function runNights(path: [Night, Night][]): Promise<void> {
  const clock = testClock('2026-11-20T03:00Z')
  await withIndex(clock, async index => {
    const places = publishers.map(domain => new Publisher(domain))
    for (const both of path) {
      const found = places.map((place, i) => ({ place, ...place.sighting(both[i]!, clock) }))
      await index.commit(found.map(({ observation }) => observation))
      const rows = await listRows(index)
      for (const { place, listed } of found) expectSameRids(place, listed, rows)
      clock.tick({ days: 1 })
    }
  })
}

/** Expects that every thing keeps its one row for ever, and that what the file lists is active. */
function expectSameRids({ domain, rids }: Publisher, listed: number[], rows: readonly Row[]): void {
  const own = new Map(
    rows.filter(row => row.publisher_domain === domain).map(row => [row.thing, row]),
  )
  for (const n of listed) {
    if (!rids.has(n)) rids.set(n, own.get(n)!.property_rid)
    expect(own.get(n)).toMatchObject({ property_rid: rids.get(n), status: 'active' })
  }
  const all = rows.filter(row => row.publisher_domain === domain)
  expect(all.map(row => [row.thing, row.property_rid]).sort()).toEqual([...rids].sort())
}

describe('the rid of a property', () => {
  it('survives failing files, entries that come and go, moves, and changes of slug and identifiers', async () => {
    await fc.assert(fc.asyncProperty(nights, runNights), { numRuns: 10 })
  })

  it('differs between publishers that declare the same app under the same slug', async () => {
    const clock = testClock('2026-11-20T03:00Z')
    const file = {
      authorized_agents: [],
      properties: [buildEntry('x.example', 1, { moves: 0, names: 0 })],
    }
    const app = { ...file.properties[0], identifiers: [{ type: 'ios_bundle', value: 'app.1' }] }
    await withIndex(clock, async index => {
      for (let turn = 0; turn < 2; turn++) {
        await index.commit(
          publishers.map(domain =>
            observeFile(
              'adagents.json',
              domain,
              { ...file, properties: [app] },
              clock.tick({ days: 1 }),
            ),
          ),
        )
      }
      const rows = await listRows(index)
      expect(rows.map(row => row.publisher_domain).sort()).toEqual([...publishers])
      expect(new Set(rows.map(row => row.property_rid)).size).toBe(2)
    })
  })
})

describe('a property in a file', () => {
  const owned = async (domain: string, ...identifiers: string[][]): Promise<number> => {
    const clock = testClock('2026-11-20T03:00Z')
    return withIndex(clock, async index => {
      const properties = identifiers.map((values, n) => ({
        property_id: `p${n}`,
        property_type: 'website',
        name: `Thing ${n}`,
        identifiers: values.map(value => ({ type: 'domain', value })),
      }))
      const file = { authorized_agents: [], properties }
      await index.commit([observeFile('adagents.json', domain, file, clock.now())])
      return (await listRows(index)).length
    })
  }

  it('belongs to its publisher if every declared host is the publisher’s or below it', async () => {
    const all = [['acme.example'], ['WWW.Acme.Example.'], ['*.acme.example', 'a.b.acme.example']]
    expect(await owned('acme.example', ...all)).toBe(3)
    expect(await owned('xn--mller-kva.example', ['müller.example'], ['www.Müller.example'])).toBe(2)
  })

  it('belongs to nobody if one host is not, however similar', async () => {
    expect(await owned('acme.example', ['evilacme.example'], ['*.evilacme.example'])).toBe(0)
    expect(await owned('acme.example', ['acme.example', 'other.example'], ['example.com'])).toBe(0)
    expect(await owned('news.acme.example', ['acme.example'])).toBe(0)
    expect(await owned('github.io', ['tenant.github.io'], ['*.github.io'])).toBe(0)
  })
})
