import type { WriterClient } from '../../jobs/api-client/writer-client.ts'
import type { Config } from '../../pipeline/core/config.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { canBePublic } from '../../pipeline/core/public-name.ts'
import { PastedDomain } from '../inputs/fields.ts'

const NOT_PUBLIC = 'must be a domain on the public Internet'
const RETRY_AFTER_S = 5

export const PublicDomain = PastedDomain.refine(canBePublic, {
  error: NOT_PUBLIC,
  // An invalid name is reported as invalid only.
  when: ({ issues }) => issues.length === 0,
})

/**
 * Refuses a host that is not on the public Internet with 400, in the same words whether it is private or does
 * not resolve, so that the answer reveals nothing about private names. Refuses with 503 if the name could not
 * be looked up.
 */
export async function requirePublic(
  field: string,
  host: Domain,
  { writer, config }: { writer: Pick<WriterClient, 'requestLive'>; config: Config },
): Promise<void> {
  const { host: reach } = await writer.requestLive(
    { kind: 'lookup_host', host },
    config.LIMITS.lookupMs,
  )
  if (reach === 'public') return
  if (reach === 'unknown') {
    const text = `${field}: the name could not be looked up at the moment; try again`
    refuse('unavailable', text, { retry_after: RETRY_AFTER_S })
  }
  refuse('invalid_request', `${field}: ${NOT_PUBLIC}`)
}
