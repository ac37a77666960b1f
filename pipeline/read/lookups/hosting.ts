import { buildHostedAddress } from '../../model/hosted.ts'
import type { PublisherLookup } from '../../model/responses/index.ts'
import type { Reader } from '../reader.ts'
import { findFinalAddress } from './file-records.ts'
import { findOrigin } from './hosted.ts'
import type { Notes, StoredAnswer } from './stored.ts'

type Hosting = PublisherLookup['hosting']

const REDIRECTED = 'self_redirected'
export const HOSTING = '"hosting":{"mode":"'

const RESOLVED = /"resolved_url":"([^"]+)"/
const WELL_KNOWN = /^https:\/\/([^/]+)\/\.well-known\/adagents\.json$/

/**
 * Finds the address that the stored lookup of a publisher names for its file, and the one that answered after HTTP redirects
 * where that is another.
 */
export function findResolved(
  reader: Reader,
  json: string,
): Pick<Notes, 'resolvedUrl' | 'finalUrl'> {
  const start = json.lastIndexOf(HOSTING)
  const named = start < 0 ? undefined : RESOLVED.exec(json.slice(start))?.[1]
  if (named === undefined) return {}
  const location = WELL_KNOWN.exec(named)?.[1] ?? named
  const final = findFinalAddress(reader, { kind: 'adagents.json', location })
  return { resolvedUrl: named, finalUrl: final === named ? undefined : final }
}

/** Describes the file that the registry at `base` serves for a publisher, and since when its domain points there. */
export function describeHosted(
  reader: Reader,
  domain: string,
  base: string,
): Pick<Hosting, 'mode'> & Partial<Hosting> {
  const { verified_at, checked_at } = findOrigin(reader, domain) ?? {}
  return {
    mode: 'aao_hosted',
    hosted_url: buildHostedAddress(base, 'adagents.json', domain),
    ...(verified_at && { origin_verified_at: verified_at }),
    ...(checked_at && { origin_last_checked_at: checked_at }),
  }
}

/** Returns the lookup of a publisher that points to the file which the registry at `base` serves for it. */
export function findPointingHere(
  reader: Reader,
  answer: StoredAnswer['body'],
  { domain, base, named }: { domain: string; base: string; named: string },
): PublisherLookup | undefined {
  if (named !== buildHostedAddress(base, 'adagents.json', domain)) return undefined
  const lookup: PublisherLookup = JSON.parse(answer.toString())
  if (lookup.hosting.mode !== REDIRECTED) return undefined
  return { ...lookup, hosting: { ...lookup.hosting, ...describeHosted(reader, domain, base) } }
}
