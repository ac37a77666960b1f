import type { Sqlite } from '../../store/sqlite.ts'

/** Holds the private rows, which a replica and a registry that never started do not have. */
export interface PrivateReader {
  record: Sqlite | undefined
}
