import { z } from 'zod'
import { findHistory } from '../../pipeline/index/points/history.ts'
import { freshnessOf } from '../../pipeline/index/points/stored.ts'
import { History } from '../../pipeline/model/answers-history.ts'
import type { FileKind } from '../../pipeline/model/observation.ts'
import type { RevisionRow } from '../../pipeline/model/rows.ts'
import { PastedDomain } from '../fields.ts'
import { type Group, type Operation, operation } from '../operation.ts'
import { ok, refused } from '../reply.ts'

const LARGEST_PAGE = 100
const USUAL_PAGE = 20

/** A number that falls back to the usual one when it is none, or too small; one too large is cut. */
export function lenient({ least, most, usual }: { least: number; most: number; usual: number }) {
  return z
    .unknown()
    .optional()
    .transform(given => {
      const value = typeof given === 'string' && /^\d{1,15}$/.test(given) ? Number(given) : -1
      return value < least ? usual : Math.min(value, most)
    })
    .meta({ type: 'integer', minimum: least, maximum: most, default: usual })
}

interface Kind {
  id: string
  path: string
  group: Group
  entity: RevisionRow['entity']
  file: FileKind
  what: string
}

function history({ id, path, group, entity, file, what }: Kind): Operation {
  return operation({
    id,
    method: 'GET',
    path,
    group,
    summary: `How the entry of a ${what} was edited`,
    description:
      'Saves, enrichments and rollbacks, newest first; crawls are none. The revision that made the ' +
      'entry is number 1 and neither listed nor counted.',
    access: 'public',
    cache: 'revalidate',
    query: z.object({
      domain: PastedDomain,
      limit: lenient({ least: 1, most: LARGEST_PAGE, usual: USUAL_PAGE }),
      offset: lenient({ least: 0, most: Number.MAX_SAFE_INTEGER, usual: 0 }),
    }),
    reply: { 200: History },
    errors: ['invalid_request', 'not_found'],
    handle: ({ query: { domain, ...page }, services: { reader } }) => {
      const found = findHistory(reader, entity, domain, page)
      const freshness = freshnessOf(reader, file, domain)
      return found
        ? ok({ domain, ...found, freshness })
        : refused('not_found', `nothing is known of ${domain}`, { domain, freshness })
    },
  })
}

export const brandHistory = history({
  id: 'brandHistory',
  path: '/api/brands/history',
  group: 'Brand Resolution',
  entity: 'brand',
  file: 'brand.json',
  what: 'brand',
})

export const propertyHistory = history({
  id: 'propertyHistory',
  path: '/api/properties/history',
  group: 'Property Resolution',
  entity: 'property',
  file: 'adagents.json',
  what: 'publisher',
})
