import type { WriterClient } from '../../jobs/api-client/writer-client.ts'
import type { Config } from '../../pipeline/core/config.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import { PublicError, refuse } from '../../pipeline/core/errors.ts'
import { canBePublic } from '../../pipeline/core/public-name.ts'
import { PastedDomain } from '../inputs/fields.ts'

const NOT_PUBLIC = 'must be a domain on the public internet'
const RETRY_AFTER_S = 5

export const PublicDomain = PastedDomain.refine(canBePublic, {
  error: NOT_PUBLIC,
  // An invalid name is reported as invalid only.
  when: ({ issues }) => issues.length === 0,
})

/** Services that answer whether a host is on the public internet. */
interface Lookup {
  writer: Pick<WriterClient, 'requestLive'>
  config: Config
}

/**
 * Refuses a host that is not on the public internet with 400, in the same words whether it is private or does
 * not resolve, so that the answer reveals nothing about private names. Refuses with 503 if the name could not
 * be looked up.
 */
export async function requirePublic(field: string, host: Domain, services: Lookup): Promise<void> {
  if ((await lookUp(field, host, services)) !== 'unknown') return
  const text = `${field}: the name could not be looked up at the moment; try again`
  refuse('unavailable', text, { retry_after: RETRY_AFTER_S })
}

/**
 * Refuses a host like `requirePublic`, but only one that is known not to be public: if the name cannot be
 * looked up in time it passes, for whatever fetches from it looks it up again.
 */
export async function refuseClosed(field: string, host: Domain, services: Lookup): Promise<void> {
  try {
    await lookUp(field, host, services)
  } catch (error) {
    if (!(error instanceof PublicError) || error.error !== 'unavailable') throw error
  }
}

async function lookUp(
  field: string,
  host: Domain,
  { writer, config }: Lookup,
): Promise<'public' | 'unknown'> {
  const request = { kind: 'lookup_host', host } as const
  const { host: reach } = await writer.requestLive(request, config.LIMITS.lookupMs)
  if (reach === 'public' || reach === 'unknown') return reach
  return refuse('invalid_request', `${field}: ${NOT_PUBLIC}`)
}
