import { Domain } from '../pipeline/core/domain.ts'
import { refuse } from '../pipeline/core/errors.ts'
import type { Services } from './services.ts'

/** Names that lead into somebody's own network, or nowhere. */
const PRIVATE =
  /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|lan|home|corp|private|home\.arpa|arpa|invalid|onion|alt)$/
const PUBLIC_END = /\.(?:[a-z]{2,}|xn--[a-z0-9-]+)$/
const NOT_PUBLIC = 'must be a domain on the public Internet'
const RETRY_AFTER_S = 5

/** Whether a name may be on the public Internet; only looking it up can tell that it is. */
export function mayBePublic(domain: string): boolean {
  return PUBLIC_END.test(domain) && !PRIVATE.test(domain)
}

export const PublicDomain = Domain.refine(mayBePublic, {
  error: NOT_PUBLIC,
  // What is no name at all is told so, and nothing more.
  when: ({ issues }) => issues.length === 0,
})

/** A name that leads into somebody's own network is refused in the words for one that leads nowhere. */
export async function requirePublic(
  field: string,
  host: Domain,
  { desk, config }: Pick<Services, 'desk' | 'config'>,
): Promise<void> {
  const { host: leads } = await desk.send({ errand: 'lookup_host', host }, config.LIMITS.lookupMs)
  if (leads === 'public') return
  if (leads === 'unknown') {
    const text = `${field}: the name could not be looked up now; try again`
    refuse('unavailable', text, { retry_after: RETRY_AFTER_S })
  }
  refuse('invalid_request', `${field}: ${NOT_PUBLIC}`)
}
