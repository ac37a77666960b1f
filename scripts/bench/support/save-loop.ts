import { randomUUID } from 'node:crypto'
import { appendFileSync, closeSync, fsyncSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { requireValue } from '../../../pipeline/core/present.ts'
import { ServingStore } from '../../../pipeline/serving/lmdb.ts'
import { Database } from '../../../pipeline/store/database.ts'
import { buildStoredTable } from '../../../pipeline/store/index-tables.ts'
import { resolvePaths } from '../../../pipeline/store/paths.ts'
import { readTableFile } from '../../../pipeline/store/table-files.ts'
import { serveParent } from './child.ts'
import { computeMedian } from './spread.ts'

export interface LoopQuestion {
  /** Rows per commit. */
  rows: number
  seconds: number
}

export interface LoopRun {
  p50Ms: number
  perSecond: number
}

/**
 * Stores saves as durably as a registry must, and does nothing else: no queue, no HTTP, no rules.
 */
const [, program = '', folder, size] = process.argv
if (program.includes('save-loop')) {
  const paths = resolvePaths(join(requireValue(folder, 'folder'), 'loop'))
  const store = ServingStore.open(paths.servingFile)
  const db = await Database.open(join(paths.dir, 'loop.sqlite'))
  for (const table of ['entries', 'revisions'])
    db.sqlite.exec(buildStoredTable(readTableFile('tables', table)).join(';\n'))
  const log = openSync(join(paths.dir, 'events.ndjson'), 'a')
  let number = 0

  const save = async (rows: number): Promise<void> => {
    const now = new Date().toISOString()
    const entries = new Map<string, object>()
    const revisions: object[] = []
    for (let i = 0; i < rows; i++) {
      const domain = `d${number % Number(size)}.bench.example`
      const [entity, id, revision_number] = ['brand', randomUUID(), ++number]
      const state = { source: 'community', status: 'live', brand_name: `Bench ${number}` }
      const row = { entity, domain, ...state, revision_number, seq: number }
      const times = { created_at: now, updated_at: now }
      entries.set(domain, { ...row, entry_id: id, document: {}, ...times })
      const edit = { revision_id: id, editor_id: id, edit_summary: '', is_rollback: false }
      revisions.push({ ...row, ...edit, state, created_at: now })
    }
    await db.transaction(async () => {
      const domains = [...entries.keys()].map(domain => `'${domain}'`)
      await db.run(`delete from entries where domain in (${domains.join()})`)
      await db.insert('entries', [...entries.values()])
      await db.insert('revisions', revisions)
    })
    const values = [...entries].map(([key, entry]) => {
      return { space: 'brand' as const, key, value: Buffer.from(JSON.stringify(entry)) }
    })
    store.write(values, number)
    appendFileSync(log, revisions.map(row => `${JSON.stringify(row)}\n`).join(''))
    fsyncSync(log)
  }

  process.on('SIGTERM', () => {
    closeSync(log)
    db.close()
    void store.close().then(() => process.exit(0))
  })
  serveParent<LoopQuestion, LoopRun>({}, async ({ rows, seconds }) => {
    const times: number[] = []
    const started = performance.now()
    while (performance.now() - started < seconds * 1_000) {
      const before = performance.now()
      await save(rows)
      times.push(performance.now() - before)
    }
    const took = (performance.now() - started) / 1_000
    return { p50Ms: computeMedian(times), perSecond: (times.length * rows) / took }
  })
}
