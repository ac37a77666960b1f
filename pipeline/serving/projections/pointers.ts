import type { FileKind, Source } from '../../model/observation.ts'
import type { Database, Parameters } from '../../store/database.ts'
import { toJsonValue } from '../document-value.ts'
import { cutFaults, type FileRecord } from '../file-record.ts'
import { toPointerKey } from '../keys.ts'
import type { Entry } from '../lmdb.ts'
import type { RowProjection } from './projection.ts'

interface FileRow extends FileRecord {
  kind: FileKind
  location: string
}

/** Selects documents of files. The sign keeps SQLite from reading all documents of these kinds by their index. */
const IS_FILE = "+kind in ('adagents.json', 'brand.json')"

/**
 * Projects stored files: their facts beside their content, and where they lead. An answer depends on another file
 * also while nothing was ever read there, so nothing else in the store would name it.
 */
export const documentProjection: RowProjection = {
  store: 'index',
  tables: ['documents'],
  changed: 'seq > $seq',
  slicedBy: 'location',
  from: 'documents',
  async project({ index }, where, parameters) {
    const rows = await index.all<Source & { leads_to: string | null }>(
      `select kind, location, leads_to(kind, location, document) as leads_to
       from documents where ${where} and ${IS_FILE}`,
      parameters,
    )
    const pointers = rows.map(({ kind, location, leads_to }): Entry => {
      const value = leads_to === null ? undefined : Buffer.from(leads_to)
      return { space: 'pointer', key: toPointerKey(kind, location), value }
    })
    return [...pointers, ...(await projectFileRecords(index, where, parameters))]
  },
}

/** Projects the facts of each brand.json and adagents.json beside its content, its first faults among them. */
async function projectFileRecords(
  index: Database,
  where: string,
  parameters: Parameters,
): Promise<Entry[]> {
  const rows = await index.all<FileRow>(
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

/** Projects the canonical record of an alias. */
export const aliasProjection: RowProjection = {
  store: 'index',
  tables: ['aliases'],
  changed: 'seq > $seq',
  slicedBy: 'alias_rid',
  from: 'aliases',
  async project({ index }, where, parameters) {
    const rows = await index.all<{ alias_rid: string; canonical_rid: string }>(
      `select alias_rid, canonical_rid from aliases where ${where}`,
      parameters,
    )
    return rows.map(({ alias_rid, canonical_rid }) => ({
      space: 'alias',
      key: alias_rid,
      value: Buffer.from(canonical_rid),
    }))
  },
}
