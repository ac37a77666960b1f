import { z } from 'zod'
import { Domain } from '../../pipeline/core/domain.ts'
import { findRevision, listRevisions } from '../../pipeline/index/queries/revisions.ts'
import { RevisionHeld, RevisionList } from '../../pipeline/model/answers-history.ts'
import type { EntryRow } from '../../pipeline/model/rows.ts'
import { seqHeader } from '../lists.ts'
import { type Group, type Operation, operation } from '../operation.ts'
import { ok, refused } from '../reply.ts'
import { lenient } from './history.ts'

const LARGEST_PAGE = 100
const USUAL_PAGE = 50

const RevisionNumber = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'must be the number of a revision, from 1 on')
  .transform(Number)
  .meta({ type: 'integer', minimum: 1, maximum: 999_999_999 })

interface Kind {
  entity: EntryRow['entity']
  /** What the operations are called after. */
  name: string
  path: string
  group: Group
}

const brand: Kind = {
  ...{ entity: 'brand', name: 'Brand', path: '/api/brands/discovered/:domain/revisions' },
  group: 'Brand Resolution',
}
const property: Kind = {
  ...{ entity: 'property', name: 'Property', path: '/api/properties/hosted/:domain/revisions' },
  group: 'Property Resolution',
}

function list({ entity, name, path, group }: Kind): Operation {
  return operation({
    ...{ id: `list${name}Revisions`, method: 'GET', path, group },
    summary: 'Every revision of an entry',
    description:
      'Newest first, the one that made the entry too, as of the last published snapshot. Who made ' +
      'one is told by an id that says nothing by itself.',
    access: 'public',
    cache: 'list',
    params: z.object({ domain: Domain }),
    query: z.object({
      limit: lenient({ least: 1, most: LARGEST_PAGE, usual: USUAL_PAGE }),
      offset: lenient({ least: 0, most: Number.MAX_SAFE_INTEGER, usual: 0 }),
    }),
    reply: { 200: RevisionList },
    errors: ['invalid_request', 'not_found', 'unavailable'],
    handle: async ({ params: { domain }, query, services: { reader } }) => {
      const { snapshot } = reader
      const found = snapshot && (await listRevisions(snapshot, entity, domain, query))
      return found?.total
        ? ok({ domain, ...found }, seqHeader(snapshot))
        : refused('not_found', `nobody has saved ${domain}`, { domain })
    },
  })
}

function read({ entity, name, path, group }: Kind): Operation {
  return operation({
    ...{ id: `get${name}Revision`, method: 'GET', path: `${path}/:number`, group },
    summary: 'What an entry said after a revision',
    description:
      'As of the last published snapshot. `content` is null while the entry is not shown, and of a ' +
      'revision that was never shown.',
    access: 'public',
    cache: 'list',
    params: z.object({ domain: Domain, number: RevisionNumber }),
    reply: { 200: RevisionHeld },
    errors: ['invalid_request', 'not_found', 'unavailable'],
    handle: async ({ params: { domain, number }, services: { reader } }) => {
      const { snapshot } = reader
      const found = snapshot && (await findRevision(snapshot, entity, domain, number))
      return found
        ? ok({ domain, ...found }, seqHeader(snapshot))
        : refused('not_found', `there is no revision ${number} of ${domain}`, { domain })
    },
  })
}

export const listBrandRevisions = list(brand)
export const readBrandRevision = read(brand)
export const listPropertyRevisions = list(property)
export const readPropertyRevision = read(property)
