import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { gzipSync } from 'node:zlib'
import { toIso } from '../../core/clock.ts'
import { carry, listCarriedFaults } from '../../diff/carry.ts'
import type { DocumentOf } from '../../model/documents/index.ts'
import { type Source, toSourceKey, type Understood } from '../../model/observation.ts'
import type { Database } from '../../store/duckdb.ts'
import type { Paths } from '../../store/paths.ts'

/**
 * Puts the new documents in the place of the old ones, and returns them as they are kept. Of a file
 * that was read more than once they come in the order of time: the last is kept, and remembers what
 * the others said.
 */
export async function replaceDocuments(
  db: Database,
  observations: readonly Understood[],
  { now, seq }: { now: number; seq: number },
): Promise<Understood[]> {
  if (observations.length === 0) return []
  await db.runTemporary('create or replace temp table replaced (kind varchar, location varchar)')
  await db.append(
    'replaced',
    observations.map(({ kind, location }) => [kind, location]),
  )
  const known = await db.all<Source & { first_seen_at: string; document: DocumentOf }>(
    `select kind, location, first_seen_at, document from documents
     semi join replaced using (kind, location)`,
  )
  const before = new Map(known.map(row => [toSourceKey(row), row]))
  const last = new Map<string, Understood>()
  for (const observation of observations) {
    const key = toSourceKey(observation)
    const old = last.get(key)?.document ?? before.get(key)?.document
    const document = carry(old, observation.document, observation.observed_at)
    const faults = [...(observation.faults ?? []), ...listCarriedFaults(document)]
    last.set(key, { ...observation, document, faults })
  }
  const stored = [...last.values()]
  await db.write(
    'delete from',
    'documents',
    `d using replaced r where d.kind = r.kind and d.location = r.location`,
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

/** Keeps the bytes as fetched, packed, named by their hash. One that is there already is the same. */
export function keepBody(paths: Paths, hash: string, body: Uint8Array): void {
  const path = paths.bodyFile(hash)
  if (existsSync(path)) return
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, gzipSync(body, { level: 1 }))
}
