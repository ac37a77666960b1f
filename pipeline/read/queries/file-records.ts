import type { Fault, Source } from '../../model/observation.ts'
import type { Snapshot } from '../reader.ts'

/** Facts of a file beside its content. Moments are ISO 8601. */
export interface FileRecord {
  variant: string
  /** Address that answered, when redirects led elsewhere. */
  resolved_url: string | null
  bytes: number | null
  /** SHA-256 of the bytes, in hex. */
  sha256: string
  fault_count: number
  /** Its faults, as many as are listed. */
  faults: Fault[]
  first_seen_at: string
  changed_at: string
}

const FILE = `
select variant, resolved_url, split_part(hash, '-', 2) as sha256, bytes::double as bytes, fault_count::double as fault_count, faults,
  first_seen_at, changed_at
from documents where kind = $kind and location = $location`

/** Finds what is known of a file; null where it was never understood. */
export async function findKnownFile(
  { db }: Snapshot,
  { kind, location }: Source,
): Promise<FileRecord | null> {
  return (await db.one<FileRecord>(FILE, { kind, location })) ?? null
}
