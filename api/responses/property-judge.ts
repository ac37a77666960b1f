import { hostTypes, type Identifier } from '../../pipeline/model/documents/index.ts'
import type { Source } from '../../pipeline/model/observation.ts'
import type { Evidence, PropertyAuthorization } from '../../pipeline/model/responses/authority.ts'
import { declareCache } from '../../pipeline/read/cache/caches.ts'
import { CommitCache } from '../../pipeline/read/cache/commit-cache.ts'
import {
  findAgent,
  findOperatorSide,
  isOperatorSilent,
  type KnownAgent,
} from '../../pipeline/read/lookups/agents.ts'
import {
  type Candidate,
  findCandidates,
  findPropertyPlaces,
} from '../../pipeline/read/lookups/candidates.ts'
import {
  type Deciding,
  listDeciding,
  listFilesOfIdentifier,
} from '../../pipeline/read/lookups/deciding-files.ts'
import {
  buildUnknownGranting,
  findInventory,
  findPlainSales,
  type Inventory,
  type StockedProperty,
} from '../../pipeline/read/lookups/inventory.ts'
import { listPastPlaces, loadPastInventory } from '../../pipeline/read/queries/past-states.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import { judge, type Side, type Verdict, weight } from '../../pipeline/resolve/authority.ts'
import {
  judgeOperator,
  type OperatorSide,
  toOperatorSide,
  unrecordedOperating,
} from '../../pipeline/resolve/operator-side.ts'
import type { Terms } from '../../pipeline/resolve/sale-terms.ts'
import { createCitedPublisher, listEvidence } from './evidence.ts'
import { type LongList, toLongList } from './list-parts.ts'
import type { Past } from './past.ts'

const CACHE_BYTES_MAX = 16 * 1024 * 1024

/** A judged sale as members of an answer, with the files that decided it. */
export interface JudgedSale {
  judged: Pick<
    PropertyAuthorization,
    | 'authorized'
    | 'property_id'
    | 'property_rid'
    | 'publisher_domain'
    | 'sides'
    | 'confirmed'
    | 'needs'
    | SideMember
  >
  deciding: Deciding
  /** The members as text (`formatMembers`); made when it is first asked for, and cached with the sale. */
  members?: string
}

const SALE_BYTES = 900
/** Cached sales; undefined for one that depends on the time. */
const sales = declareCache(
  () => new CommitCache<{ sale: JudgedSale | undefined }>(CACHE_BYTES_MAX, () => SALE_BYTES),
)

/** Finds the best sale for a question that names only agent and property; caches no evidence. */
export function findCachedSale(
  reader: Reader,
  identifier: Identifier,
  agentUrl: string,
  terms: Terms,
): JudgedSale {
  const { serving } = reader
  const choose = () => chooseBestSale(reader, identifier, findAgent(reader, agentUrl), terms)
  if (serving === undefined) return choose()
  const question = `${agentUrl} ${identifier.type.length} ${identifier.type} ${identifier.value}`
  const known = sales(reader).get(serving, question, () => {
    const plain = findPlainSale(reader, identifier, findAgent(reader, agentUrl))
    if (plain !== undefined) return { sale: plain }
    const { judged, deciding, isTimed } = choose()
    return { sale: isTimed ? undefined : { judged, deciding } }
  })
  return known.sale ?? choose()
}

/**
 * Answers the common case without judging each property: publishers that grant all or nothing, and an
 * operator without declarations. Undefined if each must be judged.
 */
function findPlainSale(
  reader: Reader,
  identifier: Identifier,
  agent: KnownAgent,
): JudgedSale | undefined {
  if (!isOperatorSilent(reader, agent)) return undefined
  const operator = describeUnnamed(findOperatorSide(reader, agent))
  const sides = new Set<Side>()
  const deciding: Source[][] = []
  for (const { rid, owner, publishers } of findPropertyPlaces(reader, identifier)) {
    const plain = publishers.length === 1 ? findPlainSales(reader, owner) : undefined
    if (plain === undefined) return undefined
    if (plain.sellers.includes(agent.agent_url)) {
      const property_id = plain.findPropertyId(rid)
      if (property_id === undefined) return undefined
      const sold = { authorized: true, sides: soldPlainly, confirmed: false, ...operator }
      const property = { property_id, property_rid: rid }
      return { judged: toJudged(sold, property, owner), deciding: [plain.listFiles()] }
    }
    sides.add(plain.valid ? 'mismatch' : 'unknown')
    deciding.push(plain.listFiles())
  }
  const publisher = sides.has('mismatch') && !sides.has('unknown') ? 'mismatch' : 'unknown'
  return {
    judged: {
      authorized: false,
      sides: { publisher, operator: 'unknown' },
      confirmed: false,
      ...operator,
    },
    deciding: deciding.length > 0 ? deciding : listFilesOfIdentifier(identifier),
  }
}

const soldPlainly = { publisher: 'match', operator: 'unknown' } as const
const notSold = {
  authorized: false,
  sides: { publisher: 'unknown', operator: 'unknown' },
  confirmed: false,
} as const

const notKnown = {
  side: 'publisher',
  rule: 'identifier_not_known',
  says: 'unknown',
  text: 'no publisher lists an active property with this identifier',
} as const

/** Lists what else an identifier of a host may be meant as: files declare a domain and a subdomain differently. */
export function listOtherHostTypes({ type, value }: Identifier): Identifier[] {
  if (!hostTypes.has(type)) return []
  return [...hostTypes].filter(other => other !== type).map(other => ({ type: other, value }))
}

/** Describes that nobody lists an identifier; if somebody lists its host with another type, says so. */
function describeUnlisted(reader: Reader, identifier: Identifier): Evidence {
  for (const other of listOtherHostTypes(identifier)) {
    const place = findPropertyPlaces(reader, other)[0]
    if (place === undefined) continue
    return {
      ...notKnown,
      rule: 'identifier_of_other_type',
      text: `${notKnown.text}, but ${place.owner} lists one as a \`${other.type}\`: check it with that type`,
    }
  }
  return notKnown
}

/** All that a sale is judged by: properties that an identifier names, inventories, and the operator. */
interface Stock {
  candidates: readonly Candidate[]
  findInventory(publisher: string): Inventory | undefined
  operating: OperatorSide
}

function findStock(reader: Reader, identifier: Identifier, agent: KnownAgent): Stock {
  return {
    candidates: findCandidates(reader, identifier).found,
    findInventory: publisher => findInventory(reader, publisher),
    operating: findOperatorSide(reader, agent),
  }
}

/** Loads what a past sale is judged by; the history does not contain what operators declared. */
export async function loadPastStock(
  { snapshot, at }: Past,
  identifier: Identifier,
): Promise<Stock> {
  const places = await listPastPlaces(snapshot, identifier, at)
  const inventories = new Map<string, Inventory | undefined>()
  for (const publisher of new Set(
    places.flatMap(({ owner, publishers }) => [owner, ...publishers]),
  )) {
    inventories.set(publisher, await loadPastInventory(snapshot, publisher, at))
  }
  const candidates = places.flatMap(({ rid, owner, publishers }) => {
    const property = inventories.get(owner)?.property(rid)
    return property?.is_active ? [{ property, publishers }] : []
  })
  return {
    candidates,
    findInventory: publisher => inventories.get(publisher),
    operating: unrecordedOperating,
  }
}

interface Sale {
  property: StockedProperty
  publisher: string
  verdict: Verdict
}

/**
 * Chooses the best sale of all properties that an identifier may name: it can be in the files of several
 * publishers, and several may grant one property.
 */
export function chooseBestSale(
  reader: Reader,
  identifier: Identifier,
  agent: KnownAgent,
  terms: Terms,
  past?: Stock,
) {
  const stock = past ?? findStock(reader, identifier, agent)
  const { operating } = stock
  let best: Sale | undefined
  let limited: Sale | undefined
  let isTimed = false
  for (const { property, publishers } of stock.candidates) {
    for (const publisher of publishers) {
      const inventory = stock.findInventory(publisher)
      isTimed ||= inventory?.isTimed ?? false
      const granting = inventory?.granting(agent.agent_url) ?? buildUnknownGranting(publisher)
      const sale = { property, publisher, verdict: judge(property, granting, operating, terms) }
      if (best === undefined || rankSale(sale) > rankSale(best)) best = sale
      if (sale.verdict.needs) limited ??= sale
    }
  }
  const sale: Sale | undefined = best
  const needs = sale?.verdict.authorized ? undefined : limited?.verdict.needs
  // Where a term is missing, the entry that asks for it decides, not another one that the operator contradicts.
  const decisive = needs === undefined ? sale : (limited as Sale | undefined)
  return {
    judged: sale
      ? toJudged(
          { ...sale.verdict, needs, ...toOperatorSide(sale.verdict.judged.operator.rule) },
          sale.property,
          sale.publisher,
        )
      : { ...notSold, ...describeUnnamed(operating) },
    isTimed,
    deciding: decisive
      ? listDeciding(reader, decisive.publisher, operating, decisive.verdict.sides)
      : listFilesOfIdentifier(identifier),
    evidence: (declaredCursor?: string): LongList<Evidence> =>
      decisive
        ? listEvidence(
            reader,
            decisive.property,
            createCitedPublisher(reader, decisive.publisher),
            operating,
            decisive.verdict,
            declaredCursor,
          )
        : toLongList([past ? notKnown : describeUnlisted(reader, identifier)]),
  }
}

type SideMember = 'operator_side' | 'operator_reason'

/** Describes what an operator says about a property that no declaration can name. */
function describeUnnamed(operating: OperatorSide): Pick<JudgedSale['judged'], SideMember> {
  return toOperatorSide(judgeOperator([], '', operating, undefined))
}

/** Converts a verdict to members of an answer; a property is named where it may be sold. */
function toJudged(
  verdict: Pick<JudgedSale['judged'], 'authorized' | 'sides' | 'confirmed' | 'needs' | SideMember>,
  { property_id, property_rid }: Pick<StockedProperty, 'property_id' | 'property_rid'>,
  publisher_domain: string,
): JudgedSale['judged'] {
  const { authorized, sides, confirmed, needs, operator_side, operator_reason } = verdict
  return {
    authorized,
    ...(authorized && { property_id: property_id ?? property_rid, property_rid, publisher_domain }),
    ...(needs && { needs }),
    sides,
    confirmed,
    operator_side,
    operator_reason,
  }
}

function rankSale({ verdict: { authorized, confirmed, needs, sides } }: Sale): number {
  const strength = 3 * weight[sides.publisher] + weight[sides.operator]
  return (confirmed ? 200 : 0) + (authorized ? 100 : 0) + strength + (needs ? 0.5 : 0)
}
