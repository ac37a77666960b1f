import { withoutNulls } from '../../diff/events.ts'
import type { PlacementItem } from '../../model/answers.ts'
import type { PlacementEntry } from '../../model/documents.ts'
import type { Snapshot } from '../reader.ts'

/** The placements of a publisher's file, as it orders them. */
export async function placementsOf({ db }: Snapshot, domain: string): Promise<PlacementItem[]> {
  const row = await db.one<{ placements: PlacementEntry[] | null }>(
    `select catalog->'placements' as placements from publishers where domain = $domain`,
    { domain },
  )
  return (row?.placements ?? []).map(placementItemOf)
}

function placementItemOf({ manifest, ...placement }: PlacementEntry): PlacementItem {
  const { description, channels, format_options } = manifest
  const more = { description, channels, format_options, source: 'adagents_json' }
  const shown = Object.entries(more).filter(([, value]) => value !== undefined)
  return withoutNulls({ ...placement, ...Object.fromEntries(shown) }) as PlacementItem
}
