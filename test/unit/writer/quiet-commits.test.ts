import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { verify } from '../../../pipeline/maintenance/verify-stores.ts'
import { fileKinds, type Observation } from '../../../pipeline/model/observation.ts'
import type { Submission } from '../../../pipeline/model/submission.ts'
import { type Entry, ServingStore } from '../../../pipeline/serving/lmdb.ts'
import { ROW_END } from '../../../pipeline/store/row-texts.ts'
import { Sqlite } from '../../../pipeline/store/sqlite.ts'
import { findNextDue, loadDueTargets } from '../../../pipeline/writer/crawl/due-files.ts'
import type { Sequencer } from '../../../pipeline/writer/sequencer.ts'
import { observeFile, observeOutcome } from '../../support/fixtures/observations.ts'
import {
  buildBrandSave,
  buildOrganizationWrite,
  buildProofWrite,
  buildPropertiesSave,
  buildSubmission,
} from '../../support/fixtures/submissions.ts'
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

/** Calls that one commit made to the record, and what they brought. */
interface Done {
  /** Statements, in their order; one that runs for each row is there once. */
  statements: string[]
  /** Rows that came back, by whether the query asked for states of files. */
  states: number
  rows: number
  /** Rows that were written, by the first words of the statement. */
  written: Record<string, number>
  /** Entries that readers see, by space. */
  shown: Record<string, number>
}
let done: Done

function watch(): void {
  const { run, exec, all, values, one, runEach, insert, update, append } = Sqlite.prototype
  vi.spyOn(Sqlite.prototype, 'exec').mockImplementation(function (this: Sqlite, sql) {
    done.statements.push(sql)
    return exec.call(this, sql)
  })
  vi.spyOn(Sqlite.prototype, 'run').mockImplementation(function (this: Sqlite, sql, parameters) {
    return noteWritten(sql, run.call(this, sql, parameters))
  })
  vi.spyOn(Sqlite.prototype, 'all').mockImplementation(function (this: Sqlite, sql, parameters) {
    return noteRead(sql, all.call(this, sql, parameters)) as never
  })
  vi.spyOn(Sqlite.prototype, 'values').mockImplementation(function (this: Sqlite, sql, parameters) {
    return noteRead(sql, values.call(this, sql, parameters))
  })
  vi.spyOn(Sqlite.prototype, 'one').mockImplementation(function (this: Sqlite, sql, parameters) {
    const row = one.call(this, sql, parameters) as object | undefined
    // Many small rows come as one text.
    const { lines } = { lines: '', ...row }
    noteRead<unknown>(sql, lines ? lines.split(ROW_END) : row ? [row] : [])
    return row as never
  })
  for (const name of ['iterate', 'iterateValues'] as const) {
    const iterate = Sqlite.prototype[name] as Sqlite['iterateValues']
    vi.spyOn(Sqlite.prototype, name).mockImplementation(function* (
      this: Sqlite,
      ...given: Parameters<Sqlite['iterateValues']>
    ) {
      yield* noteRead(given[0], [...iterate.apply(this, given)])
    } as never)
  }
  vi.spyOn(Sqlite.prototype, 'runEach').mockImplementation(function (
    this: Sqlite,
    sql,
    items,
    toRow,
  ) {
    const list = [...items]
    runEach.call(this, sql, list, toRow as never)
    if (list.length > 0) noteWritten(sql, list.length)
  })
  vi.spyOn(Sqlite.prototype, 'insert').mockImplementation(function (this: Sqlite, table, rows) {
    insert.call(this, table, rows)
    if (rows.length > 0) noteWritten(`insert into ${table}`, rows.length)
  })
  vi.spyOn(Sqlite.prototype, 'update').mockImplementation(function (this: Sqlite, ...given) {
    update.apply(this, given)
    if (given[3].length > 0) noteWritten(`update ${given[0]}`, given[3].length)
  })
  vi.spyOn(Sqlite.prototype, 'append').mockImplementation(function (this: Sqlite, table, rows) {
    const list = [...rows]
    append.call(this, table, list)
    if (list.length > 0) noteWritten(`insert into ${table}`, list.length)
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

function noteRead<Row>(sql: string, rows: Row[]): Row[] {
  done.statements.push(sql)
  done[/\bcrawl_state\b/.test(sql) ? 'states' : 'rows'] += rows.length
  return rows
}

function noteWritten(sql: string, rows: number): number {
  done.statements.push(sql)
  // What a temporary table held is of an earlier commit.
  if (!sql.startsWith('delete from temp.')) add(done.written, findFirstWords(sql), rows)
  return rows
}

const findFirstWords = (sql: string) => /\w+( into| from)? [\w.]+|\w+/.exec(sql)![0]

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

function observeNew(n: number): Observation {
  const domain = toDomain(n)
  const properties = ['news', 'sport'].map(name => {
    const identifiers = [{ type: 'domain', value: `${name}.${domain}` }]
    return { property_type: 'website', name, identifiers }
  })
  const agent = { url: 'https://ads.seller.example', authorized_for: 'all', properties }
  const file = { authorized_agents: [{ ...agent, authorization_type: 'inline_properties' }] }
  return observeFile('adagents.json', domain, file, clock.now())
}

async function commit(observations: Observation[]): Promise<Done & { events: number }> {
  done = { statements: [], states: 0, rows: 0, written: {}, shown: {} }
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
  it('writes their times by as many statements for many as for few, and nothing else', async () => {
    const few = await commitNextNight(() => observeAll(range(0, SOME_DOMAINS)))
    const many = await commitNextNight(() => observeAll(range(0, MANY_DOMAINS)))
    expect(many.events + few.events).toBe(0)
    expect(many.statements).toEqual(few.statements)
    expect(many.rows).toBe(few.rows)
    expect(many.rows).toBeLessThan(10)
    const files = 2 * MANY_DOMAINS
    // Once to compute the new state, and once for readers.
    expect(many.states).toBeLessThanOrEqual(2 * files)
    expect(many.written).toEqual({
      'update crawl_state': files,
      'insert into crawl_days': few.written['insert into crawl_days'],
      'update meta': 1,
    })
    const [update, ...others] = many.statements.filter(sql => sql.startsWith('update crawl_state'))
    expect(others).toEqual([])
    expect(update).toMatch(/\battempted_at = /)
    expect(update).not.toMatch(/\b(outcome|status|etag|last_modified|hash) = /)
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
    expect(few.written['insert into documents']).toBe(1)
    expect(many.rows).toBe(few.rows)
    expect(many.statements).toEqual(few.statements)
    const files = { 'update crawl_state': 2 * MANY_DOMAINS }
    expect(many.written).toEqual({ ...few.written, ...files })
  })
})

describe('a commit of new files', () => {
  it('is one transaction, since parts of a long one cost more the longer it is', async () => {
    clock.tick({ days: 1 })
    const parts = vi.spyOn(Sqlite.prototype, 'transaction')
    await commit(range(PUBLISHING + 1, SOME_DOMAINS).map(observeNew))
    expect(done.written['insert into documents']).toBeGreaterThan(SOME_DOMAINS / 2)
    expect(parts.mock.calls.length).toBeLessThanOrEqual(1)
  })
})

/** Parameters that are lists, what one commit made, indexes of few rows, and tables of one row. */
const NARROW =
  /^SCAN (publishers USING INDEX publishers_3|\w+ USING COVERING INDEX (brands_2|entries_4|publishers_4)$|spelled|lookalikes|\(subquery-\d+\)|\w+ VIRTUAL TABLE|CONSTANT ROW|meta\b|i\b|t\b|(replaced|reached|counted|new_agents|derived|named)\b)/
/** Finds columns of few values: an index of one of them alone finds a large part of its table. */
const COARSE = /\((kind|entity|source|status|rule|why)=\?\)$/

/** Lists what statements search through as a whole, or by a column of few values. */
function listWideReads(statements: readonly string[]): string[] {
  const reads = new Set(
    statements.filter(sql =>
      /^\s*(with|select|update .*\bset|delete|insert.*\bselect)\b/is.test(sql),
    ),
  )
  return [...reads].flatMap(sql =>
    registry.index.sqlite
      .all<{ detail: string }>(`explain query plan ${sql}`)
      .filter(({ detail }) => COARSE.test(detail) || (/^SCAN/.test(detail) && !NARROW.test(detail)))
      // The first row is enough there, and here the agents of a site are counted among all that are probed.
      .filter(() => !/\blimit 1\s*$/.test(sql) && !/count\(\*\) as probed/.test(sql))
      .map(({ detail }) => `${detail}: ${sql}`),
  )
}

describe('a commit of new files, and what shows it', () => {
  it('reads no table as a whole, and none by a column of few values', async () => {
    clock.tick({ days: 1 })
    await commit(range(PUBLISHING + 1, SOME_DOMAINS).map(observeNew))
    expect(done.statements.length).toBeGreaterThan(50)
    expect(listWideReads(done.statements)).toEqual([])
  })
})

describe('a commit of what members save, and what shows it', () => {
  it('reads no table as a whole once brands of large reach are listed for the hour', async () => {
    const [first, brand, publisher] = ['first.example', 'new.example', 'sites.example']
    const save = async (submission: Submission) => {
      done = { statements: [], states: 0, rows: 0, written: {}, shown: {} }
      await registry.commit({ observations: [], submissions: [submission] })
      return { saved: submission.operation, wide: listWideReads(done.statements) }
    }
    const proofs = [first, brand, publisher].map(domain => buildProofWrite('Acme', domain))
    for (const submission of [buildOrganizationWrite('Acme'), ...proofs]) await save(submission)
    await save(buildBrandSave('Acme', first, 'First'))
    const saves = [
      buildBrandSave('Acme', brand, 'New'),
      buildBrandSave('Acme', brand, 'Newer'),
      buildPropertiesSave('Acme', publisher, [publisher]),
    ]
    for (const submission of saves) {
      expect(await save(submission)).toEqual({ saved: submission.operation, wide: [] })
      expect(done.written).toMatchObject({ 'insert into revisions': 1 })
    }
  })
})

describe('due files', () => {
  it('and the time of the next one are found by an index, however many others there are', async () => {
    clock.tick({ days: 30 })
    done = { statements: [], states: 0, rows: 0, written: {}, shown: {} }
    const due = await loadDueTargets(registry.index, clock.now(), SOME_DOMAINS)
    expect(due.length).toBe(SOME_DOMAINS)
    expect(await findNextDue(registry.index)).toBeLessThan(clock.now())
    const plans = done.statements.flatMap(sql =>
      registry.index.sqlite.all<{ detail: string }>(`explain query plan ${sql}`),
    )
    const searched = plans.map(({ detail }) => detail).filter(detail => /crawl_state/.test(detail))
    expect(searched.length).toBeGreaterThan(0)
    expect(searched.filter(detail => !detail.startsWith('SEARCH'))).toEqual([])
  })

  it('since a time are those that became due then or later', async () => {
    clock.tick({ days: 2 })
    const due = await registry.index.all<{ due: number }>(
      `select +due_at as due from crawl_state where due_at <= ${clock.now()} and priority < 3 order by 1`,
    )
    const since = due[Math.floor(due.length / 2)]!.due
    const found = await loadDueTargets(registry.index, clock.now(), 3 * MANY_DOMAINS, { since })
    expect(found.length).toBe(due.filter(({ due }) => due >= since).length)
    expect(found.length).toBeGreaterThan(0)
  })

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
    const sorted = [...turns].sort(([t, n], [u, m]) => t - u || n - m)
    expect(turns.join(' ') === sorted.join(' ')).toBe(true)
    expect(new Set(turns.map(([t]) => t)).size).toBeGreaterThan(1)
  })
})
