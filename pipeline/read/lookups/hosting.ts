import { buildHostedAddress } from '../../model/hosted.ts'
import type { Source } from '../../model/observation.ts'
import type { PublisherLookup } from '../../model/responses/index.ts'
import type { Reader } from '../reader.ts'
import { ByteText } from './byte-text.ts'
import { findFinalAddress } from './file-records.ts'
import { findOrigin } from './hosted.ts'
import type { StoredAnswer } from './stored.ts'

type Hosting = PublisherLookup['hosting']

const REDIRECTED = 'self_redirected'
export const HOSTING = '"hosting":{"mode":"'

const RESOLVED = /"resolved_url":"([^"]+)"/
const WELL_KNOWN = /^https:\/\/([^/]+)\/\.well-known\/adagents\.json$/

/**
 * Finds the address that answered for the file of a publisher after HTTP redirects, in place of the one that its lookup
 * names; undefined where the two are the same.
 */
export function findRedirect(
  reader: Reader,
  answer: StoredAnswer['body'],
): { named: string; final: string } | undefined {
  const body = toSearchable(answer)
  const start = body.lastIndexOf(HOSTING)
  if (start < 0) return undefined
  const rest = typeof body === 'string' ? body.slice(start) : body.toString('latin1', start)
  const named = RESOLVED.exec(rest)?.[1]
  if (named === undefined) return undefined
  const location = WELL_KNOWN.exec(named)?.[1] ?? named
  const source: Source = { kind: 'adagents.json', location }
  const final = findFinalAddress(reader, source)
  return final === undefined || final === named ? undefined : { named, final }
}

/** Returns what parts that are ASCII are found in. */
function toSearchable(answer: StoredAnswer['body']): Buffer | string {
  return answer instanceof ByteText ? answer.bytes : answer
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

/**
 * Returns the lookup of a publisher that points to the file which the registry at `base` serves for it;
 * undefined for any other, without reading it as a whole.
 */
export function findPointingHere(
  reader: Reader,
  answer: StoredAnswer['body'],
  domain: string,
  base: string,
): PublisherLookup | undefined {
  const address = buildHostedAddress(base, 'adagents.json', domain)
  const body = toSearchable(answer)
  const start = body.lastIndexOf(HOSTING)
  if (start < 0 || !body.includes(`"resolved_url":"${address}"`, start)) return undefined
  const lookup: PublisherLookup = JSON.parse(answer.toString())
  const { mode, resolved_url } = lookup.hosting
  if (mode !== REDIRECTED || resolved_url !== address) return undefined
  return { ...lookup, hosting: { ...lookup.hosting, ...describeHosted(reader, domain, base) } }
}
