import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { isAlive } from '../../jobs/child-process.ts'
import type { RunFile } from '../../jobs/run-file.ts'
import type { Config } from '../../pipeline/core/config.ts'
import { Lease } from '../../pipeline/store/lease.ts'
import { resolvePaths } from '../../pipeline/store/paths.ts'
import { findRunningRegistry } from './open-registry.ts'

/** Time in which an indexer whose `start` was killed ends by itself, before it is killed. */
const ORPHAN_MS = 5_000
const POLL_MS = 100

/**
 * Makes this process the only `start` on DATA_DIR until it exits. Throws, with nothing touched,
 * where another one runs there, or an indexer that was started by itself. An indexer that a killed
 * `start` left behind is waited for, then killed.
 */
export async function takeStartLock(config: Config): Promise<void> {
  const paths = resolvePaths(config.DATA_DIR)
  const lock = await Lease.take(paths.startLock)
  if (lock === undefined) throw new Error(await describeRival(config))
  const run = await findRunningRegistry(config)
  if (run === undefined) return
  const isOrphan = run.supervisor_pid !== undefined && !isAlive(run.supervisor_pid)
  if (isOrphan && (await waitUntilFree(paths.lease))) return
  if (isOrphan && isHoldingOpen(run.indexer_pid, paths.lease)) {
    process.kill(run.indexer_pid, 'SIGKILL')
    if (await waitUntilFree(paths.lease)) return
  }
  lock.release()
  throw new Error(describeRunning(run))
}

async function describeRival(config: Config): Promise<string> {
  const { run: file, dir } = resolvePaths(config.DATA_DIR)
  const run = await findRunningRegistry(config)
  if (run) return describeRunning(run)
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as RunFile) : undefined
  const where = known ? ` at ${known.base_url}` : ''
  return `another start on ${dir} is starting or stopping${where}`
}

function describeRunning({ base_url, indexer_pid, supervisor_pid }: RunFile): string {
  return `a registry is already running at ${base_url}, process ${supervisor_pid ?? indexer_pid}`
}

async function waitUntilFree(lease: string): Promise<boolean> {
  for (const end = performance.now() + ORPHAN_MS; performance.now() < end; ) {
    if (!(await Lease.isHeld(lease))) return true
    await setTimeout(POLL_MS)
  }
  return false
}

/**
 * Tells whether a process holds a file open: its number alone may belong to another process by now.
 */
function isHoldingOpen(pid: number, file: string): boolean {
  try {
    const open = `/proc/${pid}/fd`
    return readdirSync(open).some(each => readlinkSync(`${open}/${each}`) === file)
  } catch {
    return false
  }
}
