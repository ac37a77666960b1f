import { z } from 'zod'
import { parseDomain } from '../../../pipeline/core/domain.ts'
import type { FreshnessBlock } from '../../../pipeline/model/responses/index.ts'
import type { StoredReach } from '../../../pipeline/read/lookups/reach.ts'
import { findFilesFreshness } from '../../../pipeline/read/lookups/stored.ts'
import type { Reader } from '../../../pipeline/read/reader.ts'
import { listPublisherFiles } from '../../../pipeline/resolve/deciding-files.ts'

/** Bytes after which a page of an agent's publishers ends. */
export const PUBLISHERS_BYTES = 1.5 * 1024 * 1024

/** The cursor of a page of an agent's publishers, read as the last domain before it. */
export const publisherCursor = z
  .string()
  .max(500)
  .transform((text, ctx) => {
    const domain = parseDomain(Buffer.from(text, 'base64url').toString())
    if (domain !== undefined && buildPublisherCursor(domain) === text.replace(/=+$/, ''))
      return domain as string
    ctx.addIssue('must be a `next_cursor` value from a previous response')
    return z.NEVER
  })
  .meta({ type: 'string', description: '`next_cursor` of the previous page' })

/** Builds the cursor that continues the list of an agent's publishers after one of them. */
export function buildPublisherCursor(domain: string): string {
  return Buffer.from(domain).toString('base64url')
}

/** Finds the freshness of the weakest of the files that say what an agent reaches of a publisher. */
export function findReachFreshness(
  reader: Reader,
  reach: Pick<
    StoredReach,
    'publisher_domain' | 'discovery_method' | 'manager_domain' | 'verified_by'
  >,
): FreshnessBlock {
  const { publisher_domain: domain, verified_by: resolved_location } = reach
  return findFilesFreshness(reader, listPublisherFiles({ ...reach, domain, resolved_location }))
}
