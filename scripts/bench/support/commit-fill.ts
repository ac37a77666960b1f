import { randomUUID } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { Accounts } from '../../../pipeline/accounts/store.ts'
import { HOUR } from '../../../pipeline/core/clock.ts'
import { readConfig } from '../../../pipeline/core/config.ts'
import type { Domain } from '../../../pipeline/core/domain.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import { getAt, requireValue } from '../../../pipeline/core/present.ts'
import { ServingStore } from '../../../pipeline/serving/lmdb.ts'
import { freshnessProjection } from '../../../pipeline/serving/projections/freshness.ts'
import { projectEntries } from '../../../pipeline/serving/projections/index.ts'
import { Database, type Parameters } from '../../../pipeline/store/database.ts'
import { resolvePaths } from '../../../pipeline/store/paths.ts'
import { Sequencer } from '../../../pipeline/writer/sequencer.ts'
import { serveParent } from './child.ts'
import { buildFiles, buildObservations, type Files } from './night.ts'

/** Time at which the index is filled; night n of the bench is n days later. */
export const filledAt = Date.parse('2026-11-01T03:00:00Z')

const ADDED_AT_ONCE = 20_000
const COMMITTED_AT_ONCE = 5_000
const PROJECTED_AT_ONCE = 20_000
/** Brands that are really committed; the others are copies of them under other names. */
const TEMPLATES = 1_000

/** Fills `folder` once: publishers through real commits, most brands by SQL. */
export async function fill(folder: string, sources: number): Promise<void> {
  const marker = `${folder}/filled-${sources}`
  if (existsSync(marker)) return
  const files = buildFiles(sources)
  const committed = files.adagents + Math.min(TEMPLATES, files.all - files.adagents)
  await commitFiles(folder, files, committed)
  await copyBrands(folder, files.all - files.adagents)
  await project(folder, files.world.domains)
  writeFileSync(marker, '')
}

/**
 * Commits the first files. The frontier is full with the domains of the bench, so domains that
 * documents mention are not added.
 */
async function commitFiles(folder: string, files: Files, committed: number): Promise<void> {
  const { domains } = files.world
  const config = readConfig({ DATA_DIR: folder, FRONTIER_MAX: String(domains.length) })
  const sequencer = await Sequencer.open({ config, clock: { now: () => filledAt }, log: silentLog })
  if (!sequencer) throw new Error(`another process is writing to ${folder}`)
  for (let at = 0; at < domains.length; at += ADDED_AT_ONCE) {
    const added = domains.slice(at, at + ADDED_AT_ONCE) as Domain[]
    const operation = { op: 'domains.add', domains: added, again: false } as const
    await sequencer.commit({
      observations: [],
      submissions: [{ submission_id: randomUUID(), operation }],
    })
  }
  const first = { night: 1, observedAt: filledAt - HOUR }
  for (let at = 0; at < committed; at += COMMITTED_AT_ONCE) {
    const observations = buildObservations(
      files,
      first,
      at,
      Math.min(committed, at + COMMITTED_AT_ONCE),
    )
    await sequencer.commit({ observations, submissions: [] })
  }
  await sequencer.close()
}

/**
 * Copies the committed brands. A label such as d000123 occurs in a brand's domain and in its
 * document, so replacing it makes another brand.
 */
async function copyBrands(folder: string, brands: number): Promise<void> {
  const index = await Database.open(resolvePaths(folder).record)
  await index.transaction(async () => {
    await index.run(`create temp table copies as
      with recursive r(n) as (select ${TEMPLATES + 1} union all select n + 1 from r where n < ${brands})
      select printf('d%06d.bench.example', 1 + (n - 1) % ${TEMPLATES}) as old, n, printf('d%06d', n) as label,
        printf('d%06d', 1 + (n - 1) % ${TEMPLATES}) as old_label from r`)
    const copy = (table: string, joined: string, renamed: readonly string[]) => {
      const columns = index.sqlite.columns(table).map(({ name }) => name)
      const cells = columns.map(name =>
        renamed.includes(name) ? `replace(s.${name}, c.old_label, c.label)` : `s.${name}`,
      )
      return index.run(`insert into ${table} (${columns.join(', ')}) select ${cells.join(', ')}
        from copies c cross join ${table} s on ${joined} order by c.n`)
    }
    const ofFile = "s.location = c.old and s.kind = 'brand.json'"
    const named = [
      'domain',
      'canonical_id',
      'canonical_domain',
      'brand_name',
      'brand_id',
      'names',
      'manifest',
    ]
    await copy('documents', ofFile, ['location', 'document'])
    await copy('brands', 's.domain = c.old', named)
    await index.run(`delete from crawl_state where kind = 'brand.json'
      and location in (select label || '.bench.example' from copies)`)
    await copy('crawl_state', ofFile, ['location', 'etag'])
  })
  index.close()
}

/** Projects what SQL put into the index, with the shipped projection. */
export async function project(folder: string, domains: readonly string[]): Promise<void> {
  const paths = resolvePaths(folder)
  const accounts = Accounts.open(paths.record)
  const index = new Database(accounts.db)
  const store = ServingStore.open(paths.servingFile)
  const within = (column: string) => `${column} between $from and $to`
  const list = async (column: string, table: string, parameters: Parameters) => {
    const where = `from ${table} where ${within(column)}`
    const rows = await index.all<{ key: string }>(
      `select distinct ${column} as key ${where}`,
      parameters,
    )
    return rows.map(({ key }) => key)
  }
  for (let at = 0; at < domains.length; at += PROJECTED_AT_ONCE) {
    const parameters = {
      from: getAt(domains, at),
      to: getAt(domains, Math.min(at + PROJECTED_AT_ONCE, domains.length) - 1),
    }
    const operators = await list('location', 'property_declarations', parameters)
    const { entries } = await projectEntries(index, accounts, {
      brands: await list('domain', 'brands', parameters),
      publishers: [],
      hosts: [],
      policies: [],
      keyed: operators.map(key => ({ space: 'operator', key })),
      gone: [],
      events: '',
      revisions: '',
      rows: new Map([[freshnessProjection, within('location')]]),
      changedAt: filledAt,
      parameters,
    })
    store.write(entries, store.seq)
  }
  await store.close()
  accounts.close()
}

const [, program = '', folder, sources] = process.argv
if (program.includes('commit-fill')) {
  await fill(requireValue(folder, 'folder'), Number(sources))
  serveParent({}, async () => undefined)
}
