import { buildHostedAddress } from '../../model/hosted.ts'
import type { PublisherLookup } from '../../model/responses/index.ts'
import type { Reader } from '../reader.ts'
import { findOrigin } from './hosted.ts'

type Hosting = PublisherLookup['hosting']

const REDIRECTED = 'self_redirected'
const HOSTING = '"hosting":{"mode":"'

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
  body: Buffer | string,
  domain: string,
  base: string,
): PublisherLookup | undefined {
  const address = buildHostedAddress(base, 'adagents.json', domain)
  const start = body.lastIndexOf(HOSTING)
  if (start < 0 || !body.includes(`"resolved_url":"${address}"`, start)) return undefined
  const lookup: PublisherLookup = JSON.parse(body.toString())
  const { mode, resolved_url } = lookup.hosting
  if (mode !== REDIRECTED || resolved_url !== address) return undefined
  return { ...lookup, hosting: { ...lookup.hosting, ...describeHosted(reader, domain, base) } }
}
