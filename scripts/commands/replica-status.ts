import { existsSync } from 'node:fs'
import type { Instant } from '../../pipeline/core/clock.ts'
import { measureStores } from '../../pipeline/maintenance/inspect/store-sizes.ts'
import { findReplicaProblems } from '../../pipeline/read/health.ts'
import { readFreeDisk } from '../../pipeline/store/free-disk.ts'
import { Lease } from '../../pipeline/store/lease.ts'
import type { Paths } from '../../pipeline/store/paths.ts'
import { type ReplicaState, readReplicaState } from '../../pipeline/store/replica-state.ts'
import { describeDisk } from './status-text.ts'
import { formatAgo } from './text.ts'

/** The state of a replica as one screen shows it. */
export interface ReplicaStatus {
  data_dir: string
  /** True while `follow` runs here. */
  running: boolean
  replica: ReplicaState
  stores: { name: string; bytes: number }[]
  disk_free: number
  /** Sentences on what an operator should look at. */
  problems: string[]
}

/** Reads the state of the replica in a folder; undefined where none is. */
export async function readReplicaStatus(
  paths: Paths,
  now: Instant,
): Promise<ReplicaStatus | undefined> {
  const replica = readReplicaState(paths)
  if (replica === undefined || existsSync(paths.index)) return undefined
  const running = existsSync(paths.startLock) && (await Lease.isHeld(paths.startLock))
  return {
    data_dir: paths.dir,
    running,
    replica,
    stores: Object.entries(measureStores(paths)).map(([name, bytes]) => ({ name, bytes })),
    disk_free: readFreeDisk(paths),
    problems: [
      ...(running ? [] : ['no replica is running here: `registry follow` resumes it']),
      ...findReplicaProblems(replica, now),
    ],
  }
}

/** Describes the state in lines, the problems last. */
export function describeReplicaStatus(status: ReplicaStatus, now: Instant): string[] {
  const { replica, running, data_dir, problems } = status
  const { origin, seq, origin_seq, caught_up_at, log_key } = replica
  const line = (name: string, text: string) => `${name.padEnd(10)} ${text}`
  return [
    line('replica', `${running ? 'follows' : 'stopped, followed'} ${origin}`),
    line('data', data_dir),
    line('commits', `${seq} of ${origin_seq} that are published`),
    line('signed', log_key === undefined ? 'no: this registry has no log' : `by ${log_key}`),
    line('complete', caught_up_at === null ? 'never' : formatAgo(caught_up_at, now)),
    line('disk', describeDisk(status)),
    ...(problems.length === 0
      ? ['', 'no problems found']
      : ['', ...problems.map(text => `! ${text}`)]),
  ]
}
