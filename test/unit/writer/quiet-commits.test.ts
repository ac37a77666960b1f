import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { verify } from '../../../pipeline/maintenance/verify-stores.ts'
import { fileKinds, type Observation } from '../../../pipeline/model/observation.ts'
import { type Entry, ServingStore } from '../../../pipeline/serving/lmdb.ts'
import { Database } from '../../../pipeline/store/duckdb.ts'
import { ROW_END } from '../../../pipeline/store/row-texts.ts'
import { loadDueTargets } from '../../../pipeline/writer/crawl/due-files.ts'
import type { Sequencer } from '../../../pipeline/writer/sequencer.ts'
import { observeFile, observeOutcome } from '../../support/fixtures/observations.ts'
import { buildSubmission } from '../../support/fixtures/submissions.ts'
import { openTestSequencer } from '../../support/registry/registry.ts'
import { testClock } from '../../support/worlds/clock.ts'

const SOME_DOMAINS = 500
const MANY_DOMAINS = 5_000
/** Domains below this number publish files. */
const PUBLISHING = 20

const clock = testClock('2026-11-20T03:00Z')
const toDomain = (n: number) => `d${String(n).padStart(6, '0')}.example`
const parseNumber = (domain: string) => Number(/\d+/.exec(domain)?.[0])
let registry: Sequencer

/** Calls that one commit made to the stores. */
interface Done {
  /** Statements by their first words, without temporary tables. */
  statements: string[]
  /** Rows that came back one by one. */
  rows: number
  /** Rows that came as one text, by the table they are of. */
  texts: Record<string, number>
  /** Rows that were brought, by table. */
  brought: Record<string, number>
  /** Entries that readers see, by space. */
  shown: Record<string, number>
}
let done: Done

function watch(): void {
  const { run, write: writeTable, all, append, insert, text } = Database.prototype
  vi.spyOn(Database.prototype, 'run').mockImplementation(function (this: Database, ...given) {
    if (!/\btemp table\b/.test(given[0])) done.statements.push(findFirstWords(given[0]))
    return run.apply(this, given)
  })
  vi.spyOn(Database.prototype, 'write').mockImplementation(function (this: Database, ...given) {
    done.statements.push(`${given[0]} ${given[1]}`)
    return writeTable.apply(this, given)
  })
  vi.spyOn(Database.prototype, 'all').mockImplementation(async function (this: Database, ...given) {
    const rows = await all.apply(this, given)
    done.rows += rows.length
    return rows as never
  })
  vi.spyOn(Database.prototype, 'text').mockImplementation(async function (
    this: Database,
    ...given
  ) {
    const lines = await text.apply(this, given)
    add(done.texts, given[1].split(' ')[0]!, lines === '' ? 0 : lines.split(ROW_END).length)
    return lines
  })
  vi.spyOn(Database.prototype, 'append').mockImplementation(function (this: Database, ...given) {
    const rows = [...given[1]]
    add(done.brought, given[0], rows.length)
    return append.call(this, given[0], rows, given[2])
  })
  vi.spyOn(Database.prototype, 'insert').mockImplementation(function (this: Database, ...given) {
    add(done.brought, given[0], given[1].length)
    return insert.apply(this, given)
  })
  const { write } = ServingStore.prototype
  vi.spyOn(ServingStore.prototype, 'write').mockImplementation(function (
    this: ServingStore,
    entries: readonly Entry[],
    seq,
  ) {
    for (const { space } of entries) add(done.shown, space, 1)
    return write.call(this, entries, seq)
  })
}

function findFirstWords(sql: string): string {
  return /\w+( into| from)? \w+|\w+/.exec(sql.replace(/\s+/g, ' '))![0]
}

function add(counts: Record<string, number>, name: string, count: number): void {
  if (count > 0) counts[name] = (counts[name] ?? 0) + count
}

/** Observes a domain: a few publish a file that stays the same, one fails, others have none. */
function observe(n: number, version = 1): Observation[] {
  return fileKinds.map((kind): Observation => {
    const [domain, at] = [toDomain(n), clock.now()]
    if (n === PUBLISHING) return observeOutcome('timeout', kind, domain, at)
    if (n > PUBLISHING) return observeOutcome('absent', kind, domain, at, { status: 404 })
    const file = { authorized_agents: [], catalog_etag: `${version}` }
    if (kind === 'brand.json') return observeOutcome('absent', kind, domain, at, { status: 404 })
    const observation = observeFile(kind, domain, file, at)
    if (version > 1 || clock.now() === began) return observation
    const { document: _, ...same } = observation
    return { ...same, outcome: 'unchanged' }
  })
}
let began = 0

async function commit(observations: Observation[]): Promise<Done & { events: number }> {
  done = { statements: [], rows: 0, texts: {}, brought: {}, shown: {} }
  const { events } = await registry.commit({ observations, submissions: [] })
  return { ...done, events }
}

/** Commits the next night, after a first commit has recorded that it began. */
async function commitNextNight(observe: () => Observation[]) {
  clock.tick({ days: 1 })
  await commit(observeAll([0, PUBLISHING, MANY_DOMAINS]))
  clock.tick({ minutes: 1 })
  return commit(observe())
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n)
const observeAll = (numbers: readonly number[]) => numbers.flatMap(n => observe(n))

beforeEach(async () => {
  clock.tick({ days: 1 })
  began = clock.now()
  registry = await openTestSequencer(clock)
  const domains = range(0, MANY_DOMAINS + SOME_DOMAINS).map(toDomain)
  await registry.commit({
    observations: [],
    submissions: [
      buildSubmission('given', { op: 'domains.add', domains: domains as never, again: false }),
    ],
  })
  await registry.commit({
    observations: observeAll(range(0, MANY_DOMAINS + SOME_DOMAINS)),
    submissions: [],
  })
  clock.tick({ days: 1 })
  // In the second night grants of files that are missing would end; from the third on all is as it was.
  await registry.commit({
    observations: observeAll(range(0, MANY_DOMAINS + SOME_DOMAINS)),
    submissions: [],
  })
  watch()
})

afterEach(() => vi.restoreAllMocks())

describe('a commit of unchanged files', () => {
  it('reads none of them back, and only writes their times', async () => {
    const few = await commitNextNight(() => observeAll(range(0, SOME_DOMAINS)))
    const many = await commitNextNight(() => observeAll(range(0, MANY_DOMAINS)))
    expect(many.events + few.events).toBe(0)
    expect(many.rows).toBe(few.rows)
    expect(many.rows).toBeLessThan(10)
    expect(many.statements).toEqual(few.statements)
    expect(many.statements.filter(text => text.startsWith('update'))).toEqual([
      'update crawl_state',
      'update crawl_days',
      'update meta',
    ])
    expect(many.statements.filter(text => /^(insert|delete)/.test(text))).toEqual([])
    const files = 2 * MANY_DOMAINS
    expect(many.brought).toEqual({ seen: files, shared_values: few.brought.shared_values })
    expect(many.texts).toEqual({ crawl_state: files })
    expect(many.shown).toEqual({ freshness: MANY_DOMAINS })
    vi.restoreAllMocks()
    expect(await registry.quietly(() => verify(registry))).toEqual([])
  })

  it('costs only what differs among them', async () => {
    const few = await commitNextNight(() => [
      ...observe(0, 2),
      ...observeAll(range(1, SOME_DOMAINS)),
    ])
    const many = await commitNextNight(() => [
      ...observe(0, 3),
      ...observeAll(range(1, MANY_DOMAINS)),
    ])
    expect(few.brought.documents).toBe(1)
    expect(many.rows).toBe(few.rows)
    expect(many.statements).toEqual(few.statements)
    expect({ ...many.brought, seen: 0 }).toEqual({ ...few.brought, seen: 0 })
  })
})

describe('due files', () => {
  it('come in the order of the stores when they became due within one hour', async () => {
    clock.tick({ days: 2 })
    const due = await loadDueTargets(registry.index, clock.now(), 2 * MANY_DOMAINS)
    const rows = await registry.index.all<{ location: string; due: number }>(
      `select location, +due_at as due from crawl_state where kind = 'brand.json'`,
    )
    const hour = new Map(rows.map(row => [row.location, Math.floor(row.due / 3_600_000)]))
    const brands = due.filter(({ kind }) => kind === 'brand.json')
    const turns = brands.map(
      ({ location }) => [hour.get(location)!, parseNumber(location)] as const,
    )
    const sorted = [...turns].sort(([h, n], [g, m]) => h - g || n - m)
    expect(turns.join(' ') === sorted.join(' ')).toBe(true)
    expect(new Set(turns.map(([h]) => h)).size).toBeGreaterThan(1)
  })
})
