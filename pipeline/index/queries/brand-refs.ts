import type { SeenReference } from '../../model/live.ts'
import type { Snapshot } from '../reader.ts'

/** Since when a house has been seen to refer to a domain, for each brand it names there. */
export async function referencesTo(
  { db }: Snapshot,
  house: string,
  domain: string,
): Promise<SeenReference[]> {
  const row = await db.one<{ refs: Partial<SeenReference>[] | null }>(
    `select document->'brand_refs' as refs from documents
     where kind = 'brand.json' and location = $house`,
    { house },
  )
  return (row?.refs ?? [])
    .filter((ref): ref is SeenReference => ref.domain === domain && ref.first_seen_at !== undefined)
    .map(({ brand_id, first_seen_at }) => ({ domain, brand_id, first_seen_at }))
    .slice(0, 10)
}
