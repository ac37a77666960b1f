import { z } from 'zod'
import type { FileKind } from '../../../pipeline/model/observation.ts'
import { History } from '../../../pipeline/model/responses/history.ts'
import type { RevisionRow } from '../../../pipeline/model/rows.ts'
import { findHistory } from '../../../pipeline/read/lookups/history.ts'
import { findFileFreshness } from '../../../pipeline/read/lookups/stored.ts'
import { listDomainKeys } from '../../../pipeline/read/lookups/surrogate-keys.ts'
import { PastedDomain, pageCursor } from '../../inputs/fields.ts'
import { defineOperation, type Group, type Operation } from '../../operation/operation.ts'
import { buildPageEnd } from '../../responses/lists.ts'
import { findMeantDomain, listMeantDomainKeys } from '../../responses/meant-domain.ts'
import { replyOk, replyRefused } from '../../responses/reply.ts'

const PAGE_ROWS_MAX = 100
const PAGE_ROWS_DEFAULT = 20

/**
 * Creates a number parameter that falls back to its default when it is invalid or too small, and is capped
 * when too large.
 */
export function createLenientNumber({
  description,
  minimum,
  maximum,
  usual,
}: {
  description: string
  minimum: number
  maximum: number
  usual: number
}) {
  return z
    .unknown()
    .optional()
    .transform(input => {
      const value = typeof input === 'string' && /^\d{1,15}$/.test(input) ? Number(input) : -1
      return value < minimum ? usual : Math.min(value, maximum)
    })
    .meta({ type: 'integer', minimum, maximum, default: usual, description })
}

/** Creates the schema of the page size of a history. */
export function createRevisionLimit(maximum: number, usual: number) {
  const description = 'Revisions per page; larger values are capped, and invalid ones ignored'
  return createLenientNumber({ description, minimum: 1, maximum, usual })
}

export const revisionOffset = createLenientNumber({
  description: 'Revisions to skip; `cursor` takes precedence, and invalid values are ignored',
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  usual: 0,
})

interface Kind {
  id: string
  path: string
  group: Group
  entity: RevisionRow['entity']
  file: FileKind
  what: string
}

function defineHistory({ id, path, group, entity, file, what }: Kind): Operation {
  return defineOperation({
    id,
    method: 'GET',
    path,
    group,
    summary: `List a ${what}’s revisions, with the state of its file`,
    description:
      'Returns saves, enrichments and rollbacks, newest first, back to revision 1, which created the entry. Crawls create no revisions. `total` counts all revisions. The editor of an automated enrichment is `system`.',
    access: 'public',
    cache: 'revalidate',
    dependsOn: ({ query: { domain } }) => [
      ...listDomainKeys(domain),
      ...listMeantDomainKeys(domain, listDomainKeys),
    ],
    query: z.object({
      domain: PastedDomain,
      limit: createRevisionLimit(PAGE_ROWS_MAX, PAGE_ROWS_DEFAULT),
      offset: revisionOffset,
      cursor: pageCursor,
    }),
    reply: { 200: History },
    errors: ['invalid_request', 'not_found'],
    handle: ({ query: { domain, limit, cursor, ...query }, services: { reader } }) => {
      const offset = cursor === undefined ? query.offset : Number(cursor)
      const found = findHistory(reader, entity, domain, { limit, offset })
      const freshness = findFileFreshness(reader, file, domain)
      return found
        ? replyOk({
            domain,
            ...found,
            ...buildPageEnd(offset, found.revisions.length, found.total),
            freshness,
          })
        : replyRefused('not_found', `nothing is known about ${domain}`, {
            domain,
            ...findMeantDomain(
              domain,
              meant => findHistory(reader, entity, meant, { limit: 0, offset: 0 }) !== undefined,
            ),
            freshness,
          })
    },
  })
}

export const brandHistory = defineHistory({
  id: 'brandHistory',
  path: '/api/brands/history',
  group: 'Brand Resolution',
  entity: 'brand',
  file: 'brand.json',
  what: 'brand',
})

export const propertyHistory = defineHistory({
  id: 'propertyHistory',
  path: '/api/properties/history',
  group: 'Property Resolution',
  entity: 'property',
  file: 'adagents.json',
  what: 'publisher',
})
