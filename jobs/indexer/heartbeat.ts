import { closeSync, futimesSync, openSync } from 'node:fs'
import type { Clock } from '../../pipeline/core/clock.ts'
import { HEARTBEAT_EVERY_MS, TASK_MAX_MS } from '../../pipeline/read/health.ts'

interface HeartbeatParts {
  file: string
  clock: Clock
  /** Returns for how long the writer has been at its current task. */
  busyMs: () => number
}

/**
 * Sets the time of a file as long as the writer makes progress: not while this process is frozen, and not
 * while one task takes longer than any should. Nothing is allocated on the disk, so it works on a full one.
 */
export function startHeartbeat({ file, clock, busyMs }: HeartbeatParts): () => void {
  const opened = openSync(file, 'a', 0o644)
  const beat = () => {
    if (busyMs() > TASK_MAX_MS) return
    const now = clock.now() / 1_000
    futimesSync(opened, now, now)
  }
  beat()
  const timer = setInterval(beat, HEARTBEAT_EVERY_MS)
  return () => {
    clearInterval(timer)
    closeSync(opened)
  }
}
