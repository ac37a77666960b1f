import { existsSync, readFileSync } from 'node:fs'
import { isAlive } from '../../jobs/child-process.ts'
import type { RunFile } from '../../jobs/run-file.ts'
import { type Instant, SECOND } from '../../pipeline/core/clock.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { describeFrozenProcess, readHeartbeat, SILENCE_MAX_MS } from '../../pipeline/read/health.ts'
import type { Paths } from '../../pipeline/store/paths.ts'

const LOOK_EVERY_MS = 5_000

/** Says that the indexer is frozen, with its process id and what to do; one that does not run has none. */
export function describeFrozen(paths: Pick<Paths, 'run'>): string {
  const pid = findIndexerPid(paths)
  return pid === undefined ? 'the indexer does not answer' : describeFrozenProcess('indexer', pid)
}

/** Finds the process of the indexer; undefined where it does not run. */
export function findIndexerPid({ run }: Pick<Paths, 'run'>): number | undefined {
  if (!existsSync(run)) return undefined
  const { indexer_pid: pid } = JSON.parse(readFileSync(run, 'utf8')) as RunFile
  return isAlive(pid) ? pid : undefined
}

/** Logs when the indexer of a `start` falls silent, and when it makes progress again: a line each. */
export class IndexerWatch {
  readonly #paths: Pick<Paths, 'heartbeat' | 'run'>
  readonly #log: Pick<Log, 'warn' | 'error'>
  /** Time of its last progress before it fell silent; undefined while it makes progress. */
  #silentSince: Instant | undefined

  constructor(paths: Pick<Paths, 'heartbeat' | 'run'>, log: Pick<Log, 'warn' | 'error'>) {
    this.#paths = paths
    this.#log = log
  }

  /** Looks every few seconds until the process ends. */
  start(now: () => Instant): void {
    setInterval(() => this.look(now()), LOOK_EVERY_MS).unref()
  }

  look(now: Instant): void {
    const at = readHeartbeat(this.#paths)
    if (at === undefined) return
    const isSilent = now - at > SILENCE_MAX_MS
    if (isSilent && this.#silentSince === undefined) {
      this.#silentSince = at
      this.#log.error(`${describeFrozen(this.#paths)}. Reads go on; saves and crawls wait.`)
    } else if (!isSilent && this.#silentSince !== undefined) {
      const seconds = Math.round((at - this.#silentSince) / SECOND)
      this.#silentSince = undefined
      this.#log.warn(`the indexer answers again, after ${seconds} s`)
    }
  }
}
