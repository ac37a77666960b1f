import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { gzipSync } from 'node:zlib'
import { toIso } from '../../core/clock.ts'
import { carryOver, listCarriedFaults } from '../../diff/carry.ts'
import type { DocumentOf } from '../../model/documents/index.ts'
import { type Source, toDomain, toSourceKey, type Understood } from '../../model/observation.ts'
import type { Database } from '../../store/database.ts'
import type { Paths } from '../../store/paths.ts'

/**
 * Replaces the stored documents of these files and returns the new ones as stored. Observations come in the
 * order of time: if a file occurs several times, the last document is stored, with what must be carried over
 * from the others (`carryOver`).
 */
export async function replaceDocuments(
  db: Database,
  observations: readonly Understood[],
  { now, seq }: { now: number; seq: number },
): Promise<Understood[]> {
  if (observations.length === 0) return []
  await db.stage(
    'replaced',
    'kind text, location text',
    observations.map(({ kind, location }) => [kind, location]),
  )
  const known = await db.all<Source & { first_seen_at: string; document: DocumentOf }>(
    `select kind, location, first_seen_at, document from documents
     where (kind, location) in (select kind, location from replaced)`,
  )
  const before = new Map(known.map(row => [toSourceKey(row), row]))
  const last = new Map<string, Understood>()
  for (const observation of observations) {
    const key = toSourceKey(observation)
    const old = last.get(key)?.document ?? before.get(key)?.document
    const document = carryOver(
      old,
      observation.document,
      observation.observed_at,
      toDomain(observation),
    )
    const faults = [...(observation.faults ?? []), ...listCarriedFaults(document)]
    last.set(key, { ...observation, document, faults })
  }
  const stored = [...last.values()]
  await db.write(
    'delete from',
    'documents',
    'where (kind, location) in (select kind, location from replaced)',
  )
  await db.insert(
    'documents',
    stored.map(observation => ({
      kind: observation.kind,
      location: observation.location,
      variant: observation.document.variant,
      hash: observation.hash,
      resolved_url: observation.resolved_url ?? null,
      bytes: observation.bytes ?? null,
      fault_count: observation.faults?.length ?? 0,
      faults: observation.faults ?? [],
      document: observation.document,
      first_seen_at: before.get(toSourceKey(observation))?.first_seen_at ?? toIso(now),
      changed_at: toIso(now),
      seq,
    })),
  )
  return stored
}

/**
 * Stores the bytes of a file as fetched, gzipped, under the name of their hash; an existing file is the same.
 */
export function storeBody(paths: Paths, hash: string, body: Uint8Array): void {
  const path = paths.bodyFile(hash)
  if (existsSync(path)) return
  mkdirSync(dirname(path), { recursive: true })
  // A crash must not leave half of it under its name: it would never be written again.
  const fresh = `${path}.new`
  writeFileSync(fresh, gzipSync(body, { level: 1 }))
  renameSync(fresh, path)
}
