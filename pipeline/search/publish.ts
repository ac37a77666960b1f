import { type ChildProcess, fork } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { readCheckpoint } from '../store/checkpoint.ts'
import type { Database } from '../store/columnar/duckdb.ts'
import { replaceFile } from '../store/durable-files.ts'
import type { Paths } from '../store/paths.ts'
import type { Seals } from '../store/seals.ts'
import { buildSearch, withSnapshot } from './build.ts'
import { readSearchCheckpoint, type SearchCheckpoint } from './checkpoint.ts'
import { SEARCH_FORMAT } from './search-index.ts'

/** Entries up to which this process builds the file; a child process builds a larger one. */
const IN_PROCESS_ENTRIES_MAX = 5_000
const CHILD_PRIORITY = 10
const FILES_RETAINED = 2

/** SQL that describes everything that can be found: number and last commit of the rows of each table. */
const CONTENTS = ['brands', 'publishers', 'properties', 'entries', 'agents', 'agent_profiles'].map(
  table => `(select count(*) || ' ' || coalesce(max(seq), 0) || ' ' from ${table})`,
)

/**
 * Keeps the search file up with the snapshots: a file made from the current one, unless nothing
 * that can be found has changed. Snapshots and the writer wait for none of this.
 */
export class SearchPublisher {
  readonly #paths: Paths
  readonly #seals: Pick<Seals, 'forget' | 'note'> | undefined
  readonly #inProcessMax: number
  /** False to delete all older files with the next publishing, as a take-down requires; then true again. */
  keepsOlder = true
  #child: ChildProcess | undefined
  #isClosed = false
  #queue: Promise<void> = Promise.resolve()

  constructor(
    paths: Paths,
    inProcessMax = IN_PROCESS_ENTRIES_MAX,
    seals?: Pick<Seals, 'forget' | 'note'>,
  ) {
    this.#paths = paths
    this.#seals = seals
    this.#inProcessMax = inProcessMax
  }

  /** Resolves when the file shows the current snapshot, or a later one. */
  publish(): Promise<void> {
    const published = this.#queue.then(() => this.#publish())
    this.#queue = published.catch(() => undefined)
    return published
  }

  /** Closes the publisher; unfinished work is left to the next process. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#child?.kill()
    await this.#queue
  }

  async #publish(): Promise<void> {
    const paths = this.#paths
    const checkpoint = readCheckpoint(paths)
    const known = readSearchCheckpoint(paths)
    if (this.#isClosed || checkpoint === undefined || checkpoint.seq === known?.seq) return
    const snapshot = `${paths.snapshots}/${checkpoint.snapshot}`
    const fresh = checkpoint.snapshot.replace('.duckdb', '.search')
    const target = `${paths.search}/${fresh}`
    mkdirSync(paths.search, { recursive: true })
    const { contents, file, isLeft } = await withSnapshot(snapshot, async db => {
      const { contents, entries } = await readContents(db)
      const isSame = contents === known?.contents && existsSync(`${paths.search}/${known.file}`)
      if (isSame) return { contents, file: known.file, isLeft: false }
      const isLeft = entries > this.#inProcessMax
      if (!isLeft) await buildSearch(db, target)
      return { contents, file: fresh, isLeft }
    })
    if (file === fresh) {
      if (isLeft) await this.#buildInChild(snapshot, target)
      if (this.#isClosed) return
      this.#seals?.forget(paths.search)
      this.#seals?.note(`${paths.search}/${file}`)
    }
    const { seq } = checkpoint
    const next: SearchCheckpoint = { seq, file, format: SEARCH_FORMAT, contents }
    replaceFile(paths.searchCheckpoint, `${JSON.stringify(next)}\n`)
    prune(paths, file, this.keepsOlder ? FILES_RETAINED : 1)
    this.keepsOlder = true
  }

  async #buildInChild(snapshot: string, target: string): Promise<void> {
    const program = fileURLToPath(new URL(BUILD_PROGRAM, import.meta.url))
    const execArgv = program.endsWith('.ts') ? ['--import', 'tsx'] : []
    const child = fork(program, [snapshot, target], {
      execArgv,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    this.#child = child
    if (child.pid !== undefined) lowerPriority(child.pid)
    const [code, signal] = await new Promise<[number | null, string | null]>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', (status, by) => resolve([status, by]))
    })
    this.#child = undefined
    if (code !== 0 && !this.#isClosed)
      throw new Error(`the search file was not made: ${signal ?? `status ${code}`}`)
  }
}

const BUILD_PROGRAM = import.meta.url.endsWith('.ts') ? './build-program.ts' : './build-program.js'

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, CHILD_PRIORITY)
  } catch {
    // It ended already, or the system does not let us.
  }
}

function readContents(db: Database): Promise<{ contents: string; entries: number }> {
  return db.oneOrThrow(
    `select ${CONTENTS.join(' || ')} as contents, (select count(*) from brands)
       + (select count(*) from publishers) + (select count(*) from properties)
       + (select count(*) from agents) as entries`,
  )
}

/** Prunes old search files, and what was left beside them. Their readers keep a deleted file open. */
function prune(paths: Paths, current: string, retained: number): void {
  const older = readdirSync(paths.search).filter(name => name < current)
  const searchFiles = older.filter(name => name.endsWith('.search')).sort()
  const previous = new Set(searchFiles.slice(Math.max(0, searchFiles.length + 1 - retained)))
  for (const name of older)
    if (!previous.has(name)) rmSync(`${paths.search}/${name}`, { force: true })
}
