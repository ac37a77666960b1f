import type { KnownBrandFile } from '../../model/live/live.ts'
import type { Snapshot } from '../reader.ts'

/** Files that one answer is read from. */
const FILES_MAX = 10

/**
 * Lists the other files behind the stored brand of a domain, as stored, without their parts about
 * other domains' brands and licences.
 */
export async function listBrandFiles({ db }: Snapshot, domain: string): Promise<KnownBrandFile[]> {
  const rows = await db.all<KnownBrandFile['state'] & Omit<KnownBrandFile, 'state'>>(
    `select s.location, d.document, s.outcome, s.effect, s.status,
       epoch_ms(s.streak_since)::double as streak_since,
       epoch_ms(s.attempted_at)::double as attempted_at,
       epoch_ms(s.succeeded_at)::double as succeeded_at,
       epoch_ms(s.stale_at)::double as stale_at, epoch_ms(s.ended_at)::double as ended_at,
       epoch_ms(s.absent_at)::double as absent_at
     from depends_on o
     join crawl_state s on s.kind = o.kind and s.location = o.location
     join documents d on d.kind = o.kind and d.location = o.location
     where o.rule = 'brand' and o.subject = $domain and o.kind = 'brand.json'
       and o.location != $domain
     order by s.location limit ${FILES_MAX}`,
    { domain },
  )
  const named = new Set([domain, ...rows.map(({ location }) => location)])
  return rows.map(({ location, document, ...state }) => ({
    location,
    document: pruneDocument(document, named),
    state,
  }))
}

function pruneDocument(
  document: KnownBrandFile['document'],
  named: ReadonlySet<string>,
): KnownBrandFile['document'] {
  if (document.variant !== 'house_portfolio') return document
  const brand_refs = document.brand_refs.filter(ref => named.has(ref.domain))
  return { ...document, brand_refs, authorized_operators: [], trademarks: [] }
}
