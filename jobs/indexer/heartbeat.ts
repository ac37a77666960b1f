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
 * Updates the modification time of a file while the writer makes progress; not while this process is frozen,
 * nor while one task takes too long. This needs no disk space, so it also works on a full disk.
 */
export function startHeartbeat({ file, clock, busyMs }: HeartbeatParts): () => void {
  const opened = openSync(file, 'a', 0o644)
  const touch = () => {
    if (busyMs() > TASK_MAX_MS) return
    const now = clock.now() / 1_000
    futimesSync(opened, now, now)
  }
  touch()
  const timer = setInterval(touch, HEARTBEAT_EVERY_MS)
  return () => {
    clearInterval(timer)
    closeSync(opened)
  }
}
