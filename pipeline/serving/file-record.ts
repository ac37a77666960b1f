import type { Fault } from '../model/observation.ts'

/** Facts of a file beside its content. Moments are ISO 8601. */
export interface FileRecord {
  variant: string
  /** Address that answered, when redirects led elsewhere. */
  resolved_url: string | null
  bytes: number | null
  /** SHA-256 of the bytes, in hex. */
  sha256: string
  fault_count: number
  /** Its first faults. */
  faults: Fault[]
  first_seen_at: string
  changed_at: string
}

/** Faults that a record holds: the workshop and the checks of a file list all of them. */
export const FAULTS_STORED_MAX = 30
const FIELD_CHARS = 160
const MESSAGE_CHARS = 480

/** Cuts the faults of a file to what a page shows, so that a file full of them stays a small record. */
export function cutFaults(faults: readonly Fault[]): Fault[] {
  return faults.slice(0, FAULTS_STORED_MAX).map(fault => ({
    ...fault,
    field: fault.field.slice(0, FIELD_CHARS),
    message: fault.message.slice(0, MESSAGE_CHARS),
  }))
}
