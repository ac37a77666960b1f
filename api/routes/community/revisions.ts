import { z } from 'zod'

import { RevisionHeld, RevisionList } from '../../../pipeline/model/responses/history.ts'
import type { EntryRow } from '../../../pipeline/model/rows.ts'
import { findRevision, listRevisions } from '../../../pipeline/read/lookups/revisions.ts'
import { listDomainKeys } from '../../../pipeline/read/lookups/surrogate-keys.ts'
import { PastedDomain, pageCursor } from '../../inputs/fields.ts'
import { defineOperation, type Group, type Operation } from '../../operation/operation.ts'
import { buildPageEnd } from '../../responses/lists.ts'
import { findMeantDomain, listMeantDomainKeys } from '../../responses/meant-domain.ts'
import { replyOk, replyRefused } from '../../responses/reply.ts'
import { createRevisionLimit, revisionOffset } from './history.ts'

const PAGE_ROWS_MAX = 100
const PAGE_ROWS_DEFAULT = 50

const RevisionNumber = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'must be the number of a revision, from 1 on')
  .transform(Number)
  .meta({
    type: 'integer',
    minimum: 1,
    maximum: 999_999_999,
    description: 'Revision number; 1 is the one that created the entry',
  })

interface Kind {
  entity: EntryRow['entity']
  /** Word for the entry in the names of the operations. */
  name: string
  /** Saved things as the summaries name them. */
  saved: string
  path: string
  group: Group
}

const brand: Kind = {
  entity: 'brand',
  name: 'Brand',
  saved: 'a brand',
  path: '/api/brands/discovered/:domain/revisions',
  group: 'Brand Resolution',
}
const property: Kind = {
  entity: 'property',
  name: 'Property',
  saved: 'a publisher’s properties',
  path: '/api/properties/hosted/:domain/revisions',
  group: 'Property Resolution',
}

const listKeys = (domain: string) => [
  ...listDomainKeys(domain),
  ...listMeantDomainKeys(domain, listDomainKeys),
]

function list({ entity, name, saved, path, group }: Kind): Operation {
  return defineOperation({
    id: `list${name}Revisions`,
    method: 'GET',
    path,
    group,
    summary: `List the saved revisions of ${saved}`,
    description:
      'Returns revisions newest first, including the one that created the entry. The editor is an opaque ID.',
    access: 'public',
    cache: 'revalidate',
    dependsOn: ({ params: { domain } }) => listKeys(domain),
    params: z.object({ domain: PastedDomain }),
    query: z.object({
      limit: createRevisionLimit(PAGE_ROWS_MAX, PAGE_ROWS_DEFAULT),
      offset: revisionOffset,
      cursor: pageCursor,
    }),
    reply: { 200: RevisionList },
    errors: ['invalid_request', 'not_found'],
    handle: ({ params: { domain }, query, services: { reader } }) => {
      const { limit, cursor } = query
      const offset = cursor === undefined ? query.offset : Number(cursor)
      const { total, revisions } = listRevisions(reader, entity, domain, { limit, offset })
      return total > 0
        ? replyOk({ domain, total, revisions, ...buildPageEnd(offset, revisions.length, total) })
        : replyRefused('not_found', `nobody has saved ${domain}`, {
            domain,
            ...findMeantDomain(
              domain,
              meant => listRevisions(reader, entity, meant, { limit: 1, offset: 0 }).total > 0,
            ),
          })
    },
  })
}

function read({ entity, name, saved, path, group }: Kind): Operation {
  return defineOperation({
    id: `get${name}Revision`,
    method: 'GET',
    path: `${path}/:number`,
    group,
    summary: `Get a saved revision of ${saved}`,
    description:
      '`content` is null while the entry is hidden, and for a revision that was never shown.',
    access: 'public',
    cache: 'revalidate',
    dependsOn: ({ params: { domain } }) => listKeys(domain),
    params: z.object({ domain: PastedDomain, number: RevisionNumber }),
    reply: { 200: RevisionHeld },
    errors: ['invalid_request', 'not_found'],
    handle: ({ params: { domain, number }, services: { reader } }) => {
      const found = findRevision(reader, entity, domain, number)
      return found
        ? replyOk({ domain, ...found })
        : replyRefused('not_found', `there is no revision ${number} of ${domain}`, {
            domain,
            ...findMeantDomain(
              domain,
              meant => findRevision(reader, entity, meant, number) !== undefined,
            ),
          })
    },
  })
}

export const listBrandRevisions = list(brand)
export const readBrandRevision = read(brand)
export const listPropertyRevisions = list(property)
export const readPropertyRevision = read(property)
