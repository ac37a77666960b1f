import { parseDomain, stripHostPrefix, toIdentifierHost } from '../../core/domain.ts'
import { hostTypes, type Identifier } from '../../model/documents/index.ts'
import type { Source } from '../../model/observation.ts'
import type { FreshnessBlock } from '../../model/responses/index.ts'
import type { Verdict } from '../../resolve/authority.ts'
import { listPublisherFiles } from '../../resolve/deciding-files.ts'
import type { OperatorSide } from '../../resolve/operator-side.ts'
import { formatFreshness, pickWeakest } from '../../serving/freshness-record.ts'
import type { Reader } from '../reader.ts'
import { findInventory } from './inventory.ts'
import { documentSpaces, findFilesFreshness, findStoredFreshness } from './stored.ts'

export { formatFreshness }

/** The files of each party whose declaration decided an answer: a publisher's, or an operator's. */
export type Deciding = readonly (readonly Source[])[]

/** Lists the files that decide the answers about a publisher; for an unknown one, its own adagents.json. */
export function listFilesOfPublisher(reader: Reader, domain: string): Source[] {
  const stored = findInventory(reader, domain)?.stored
  return stored
    ? listPublisherFiles({ ...stored, domain })
    : [{ kind: 'adagents.json', location: domain }]
}

/** Tells whether the operator's declaration counts: it says anything about a sale that the publisher grants. */
export function isOperatorHeard({ publisher, operator }: Verdict['sides']): boolean {
  return publisher === 'match' && operator !== 'unknown'
}

/** Lists the files that decided about a sale of one publisher. */
export function listDeciding(
  reader: Reader,
  publisher: string,
  { operator }: OperatorSide,
  sides: Verdict['sides'],
): Deciding {
  const files = listFilesOfPublisher(reader, publisher)
  if (!isOperatorHeard(sides) || operator === undefined) return [files]
  return [files, [{ kind: 'brand.json', location: operator.location }]]
}

/** Lists the file that would declare an identifier that no known publisher lists, if there is one. */
export function listFilesOfIdentifier({ type, value }: Identifier): Deciding {
  if (!hostTypes.has(type)) return []
  const host = toIdentifierHost(value).replace(/^\*\./, '')
  const domain = parseDomain(type === 'domain' ? stripHostPrefix(host) : host)
  return domain === undefined ? [] : [[{ kind: 'adagents.json', location: domain }]]
}

/** Finds the freshness of the least fresh file that decided an answer. */
export function findDecidingFreshness(reader: Reader, deciding: Deciding): FreshnessBlock {
  return pickWeakestOfAny(deciding.map(files => findFilesFreshness(reader, files)))
}

/** Finds the freshness of the least fresh file behind the declarations of several publishers. */
export function findPublishersFreshness(
  reader: Reader,
  publishers: readonly string[],
): FreshnessBlock {
  const { publisher } = documentSpaces
  return pickWeakestOfAny(publishers.map(domain => findStoredFreshness(reader, publisher, domain)))
}

/** Picks the weakest freshness of the deciding files; never crawled if no file decided. */
export function pickWeakestOfAny(blocks: readonly FreshnessBlock[]): FreshnessBlock {
  return blocks.length === 0 ? { state: 'never_crawled' } : pickWeakest(blocks)
}

/** Formats the freshness of the deciding files as JSON text. */
export function formatDecidingFreshness(reader: Reader, deciding: Deciding): string {
  return formatFreshness(findDecidingFreshness(reader, deciding))
}
