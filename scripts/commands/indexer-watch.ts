import { existsSync, readFileSync } from 'node:fs'
import { isAlive } from '../../jobs/child-process.ts'
import type { RunFile } from '../../jobs/run-file.ts'
import { describeFrozenProcess } from '../../pipeline/read/health.ts'
import type { Paths } from '../../pipeline/store/paths.ts'

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
