import { z } from 'zod'
import type { Instant } from '../core/clock.ts'
import { readJsonFile, replaceFile } from './durable-files.ts'
import type { Paths } from './paths.ts'

/** State of a replica, as the process that follows tells the API. */
export const ReplicaState = z.object({
  /** Address of what it follows. */
  origin: z.string(),
  /** Public address of the registry, as it publishes it. */
  base_url: z.string().exactOptional(),
  /** The commit that it shows, and the last one of the origin that it knows. */
  seq: z.int(),
  origin_seq: z.int(),
  /** Public key that signs what is followed; without one nobody signs it. */
  log_key: z.string().exactOptional(),
  /** Time at which it last had everything that the origin had published. */
  caught_up_at: z.iso.datetime().nullable(),
  /** Reason why the last attempt failed. */
  problem: z.string().exactOptional(),
})
export type ReplicaState = z.infer<typeof ReplicaState>

/** Reads the state of the replica in a folder; undefined where a registry of its own is. */
export function readReplicaState(paths: Pick<Paths, 'replica'>): ReplicaState | undefined {
  return readJsonFile(paths.replica, ReplicaState)
}

export function writeReplicaState(paths: Pick<Paths, 'replica'>, state: ReplicaState): void {
  replaceFile(paths.replica, `${JSON.stringify(state)}\n`)
}

/** Computes for how many milliseconds a replica may lack commits at most; `Infinity` before it had all of them once. */
export function computeReplicaLagMs(
  { caught_up_at }: Pick<ReplicaState, 'caught_up_at'>,
  now: Instant,
): number {
  return caught_up_at === null ? Number.POSITIVE_INFINITY : now - Date.parse(caught_up_at)
}
