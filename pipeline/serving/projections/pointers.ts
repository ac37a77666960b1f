import { parseDomain } from '../../core/domain.ts'
import type { AdagentsPointer, BrandDocument } from '../../model/documents/index.ts'
import { type FileKind, isUrl, parseSource } from '../../model/observation.ts'
import { findNextPlace } from '../../resolve/brand-facts.ts'
import type { Database, Parameters } from '../../store/database.ts'
import { toJsonValue } from '../document-value.ts'
import { cutFaults, type FileRecord } from '../file-record.ts'
import { toPointerKey } from '../keys.ts'
import type { Entry } from '../lmdb.ts'
import type { RowProjection } from './projection.ts'

interface StoredDocument {
  kind: 'adagents.json' | 'brand.json'
  location: string
  /** Null unless it leads to another file. */
  document: AdagentsPointer | BrandDocument | null
}

interface FileRow extends FileRecord {
  kind: FileKind
  location: string
}

/** Selects documents of files. The sign keeps SQLite from reading all documents of these kinds by their index. */
const IS_FILE = "+kind in ('adagents.json', 'brand.json')"

const LEADS_ELSEWHERE = `(kind = 'adagents.json' and variant = 'pointer'
  or kind = 'brand.json' and variant in ('authoritative_location', 'house_redirect'))`

/**
 * Projects stored files: their facts beside their content, and the locations that they lead to. An answer
 * depends on such a file also while nothing was ever read there, so nothing else in the store would name it.
 */
export const documentProjection: RowProjection = {
  store: 'index',
  tables: ['documents'],
  changed: 'seq > $seq',
  slicedBy: 'location',
  from: 'documents',
  async project({ index }, where, parameters) {
    const rows = await index.all<StoredDocument>(
      `select kind, location, iif(${LEADS_ELSEWHERE}, document, null) as "document [json]"
       from documents where ${where} and ${IS_FILE}`,
      parameters,
    )
    return [...rows.map(toPointer), ...(await projectFileRecords(index, where, parameters))]
  },
}

function toPointer(row: StoredDocument): Entry {
  const target = findTarget(row)
  return {
    space: 'pointer',
    key: toPointerKey(row.kind, row.location),
    value: target === undefined ? undefined : Buffer.from(target),
  }
}

/** Finds the location of the other file; undefined if none could be read. */
function findTarget({ location, document }: StoredDocument): string | undefined {
  const current = parseDomain(isUrl(location) ? new URL(location).hostname : location)
  if (document === null || current === undefined) return undefined
  const target =
    document.variant === 'pointer'
      ? parseSource('adagents.json', document.authoritative_location)
      : findNextPlace({ current, location }, document)
  if (target === undefined || target === 'nowhere') return undefined
  return target.location
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
