import type { FileKind } from '../../model/observation.ts'
import type { Database, Parameters } from '../../store/database.ts'
import { toJsonValue } from '../document-value.ts'
import { cutFaults, type FileRecord } from '../file-record.ts'
import { toPointerKey } from '../keys.ts'
import type { Entry } from '../lmdb.ts'

interface Row extends FileRecord {
  kind: FileKind
  location: string
}

/** Selects documents of files. The sign keeps SQLite from reading all documents of these kinds by their index. */
export const IS_FILE = "+kind in ('adagents.json', 'brand.json')"

/** Projects the facts of each brand.json and adagents.json beside its content, its first faults among them. */
export async function projectFileRecords(
  index: Database,
  where: string,
  parameters: Parameters,
): Promise<Entry[]> {
  const rows = await index.all<Row>(
    `select kind, location, variant, resolved_url, bytes as bytes,
       split_part(hash, '-', 2) as sha256, fault_count as fault_count, faults,
       first_seen_at, changed_at
     from documents where ${where} and ${IS_FILE}`,
    parameters,
  )
  return rows.map(({ kind, location, faults, ...record }) => ({
    space: 'file',
    key: toPointerKey(kind, location),
    value: toJsonValue({ ...record, faults: cutFaults(faults) } satisfies FileRecord),
  }))
}
