import { requireValue } from '../../pipeline/core/present.ts'
import type { Evidence } from '../../pipeline/model/responses/authority.ts'
import {
  type Deciding,
  isOperatorHeard,
  listFilesOfPublisher,
} from '../../pipeline/read/lookups/deciding-files.ts'
import {
  findInventory,
  type Inventory,
  type StockedProperty,
} from '../../pipeline/read/lookups/inventory.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import {
  judge,
  type PublisherSide,
  type Side,
  tallyVerdicts,
  type Verdict,
} from '../../pipeline/resolve/authority.ts'
import type { OperatorSide } from '../../pipeline/resolve/operator-side.ts'
import { type ProductSelector, selectRequested } from '../../pipeline/resolve/product-selectors.ts'
import type { Terms } from '../../pipeline/resolve/sale-terms.ts'
import { createCitedPublisher, listEvidence } from './evidence.ts'
import { joinLists, type LongList, toLongList } from './list-parts.ts'

export interface JudgedSale {
  property: StockedProperty
  verdict: Verdict
}

/** A requested item; an unknown id has no sales. */
interface JudgedItem {
  id?: string
  sales: JudgedSale[]
  authorized: boolean
}

export interface JudgedSelector {
  selector: ProductSelector
  items: JudgedItem[]
  requested: number
  authorized: number
  unauthorized?: string[]
  source: 'adagents_json' | 'agent_claim' | 'none'
  /** The term that stops some of it where the question leaves it out. */
  needs?: Verdict['needs']
  sides: Verdict['sides']
}

/** Finds the inventory of a publisher; undefined if its file is not understood. */
export type FindInventory = (domain: string) => Inventory | undefined

/** Judges the selectors of one product; a property in several of them is judged once. */
export class ProductJudge {
  readonly #reader: Reader
  readonly #agentUrl: string
  readonly #operating: OperatorSide
  readonly #terms: Terms
  readonly #findInventory: FindInventory
  readonly #salesByRid = new Map<string, JudgedSale>()

  /** Creates a judge that uses the grants that `find` returns; by default, the current ones. */
  constructor(
    reader: Reader,
    agentUrl: string,
    operating: OperatorSide,
    terms: Terms,
    find: FindInventory = domain => findInventory(reader, domain),
  ) {
    this.#reader = reader
    this.#agentUrl = agentUrl
    this.#operating = operating
    this.#terms = terms
    this.#findInventory = find
  }

  judge(selector: ProductSelector): JudgedSelector {
    const { publisher_domain: domain } = selector
    const inventory = domain === undefined ? undefined : this.#findInventory(domain)
    const granting = inventory?.granting(this.#agentUrl)
    const items = selectRequested(selector, inventory?.properties ?? []).map(
      ({ id, properties }): JudgedItem => {
        const sales = properties.map(property =>
          this.#judgeSale(property, requireValue(granting, 'inventory')),
        )
        const authorized = sales.length > 0 && sales.every(({ verdict }) => verdict.authorized)
        return { ...(id !== undefined && { id }), sales, authorized }
      },
    )
    const unauthorized = listUnauthorized(selector, items)
    const needs = items
      .flatMap(({ sales }) => sales)
      .map(({ verdict }) => verdict.needs)
      .find(term => term !== undefined)
    return {
      selector,
      items,
      requested: items.length,
      authorized: items.filter(item => item.authorized).length,
      ...(unauthorized && { unauthorized }),
      source: getSource(granting, items),
      ...(needs && { needs }),
      sides: combineSides(items, inventory),
    }
  }

  #judgeSale(property: StockedProperty, granting: PublisherSide): JudgedSale {
    const known = this.#salesByRid.get(property.property_rid)
    if (known !== undefined) return known
    const verdict = judge(property, granting, this.#operating, this.#terms)
    const sale = { property, verdict }
    this.#salesByRid.set(property.property_rid, sale)
    return sale
  }

  tally(judged: readonly JudgedSelector[]) {
    const items = judged.flatMap(judgement => judgement.items)
    const authorized = items.filter(item => item.authorized).length
    const sides = combineAll(
      judged.filter(judgement => judgement.requested > 0).map(judgement => judgement.sides),
    )
    const isAll = items.length > 0 && authorized === items.length
    const confirmed =
      isAll && items.every(({ sales }) => sales.every(({ verdict }) => verdict.confirmed))
    const needs = judged.map(judgement => judgement.needs).find(term => term !== undefined)
    return {
      requested: items.length,
      authorized,
      ...(needs && { needs }),
      sides,
      confirmed,
    }
  }

  /** Returns the files that decided the answer: each publisher's once, and the operator's if it counts. */
  decidedBy(judged: readonly JudgedSelector[]): Deciding {
    const { operator } = this.#operating
    const publishers = judged.flatMap(({ selector }) => selector.publisher_domain ?? [])
    const files = [...new Set(publishers)].map(publisher =>
      listFilesOfPublisher(this.#reader, publisher),
    )
    const isHeard = judged.some(({ sides }) => isOperatorHeard(sides))
    return isHeard && operator
      ? [...files, [{ kind: 'brand.json', location: operator.location }]]
      : files
  }

  /** Tells whether properties of a publisher were left out. */
  #isUnread(domain: string | undefined): boolean {
    const inventory = domain === undefined ? undefined : this.#findInventory(domain)
    return inventory?.stored.left_out?.includes('properties') ?? false
  }

  /** Lists each sale once as evidence; an item that no publisher lists gets a step of its own. */
  evidence(judged: readonly JudgedSelector[], declaredCursor?: string): LongList<Evidence> {
    const reported = new Set<JudgedSale>()
    const steps: LongList<Evidence>[] = []
    for (const { selector, items } of judged) {
      const domain = selector.publisher_domain
      if (items.length === 0) steps.push(toLongList([buildNothingAsked(domain)]))
      for (const { id, sales } of items) {
        if (sales.length === 0)
          steps.push(
            toLongList([
              buildNotListed(domain, requireValue(id, 'id of a property'), this.#isUnread(domain)),
            ]),
          )
        for (const sale of sales.filter(judged => !reported.has(judged))) {
          reported.add(sale)
          const { property, verdict } = sale
          steps.push(
            listEvidence(
              this.#reader,
              property,
              createCitedPublisher(this.#reader, requireValue(domain, 'publisher')),
              this.#operating,
              verdict,
              declaredCursor,
            ),
          )
        }
      }
    }
    return joinLists(steps)
  }
}

/** Lists ids that are not authorized, and tags that no authorized property carries. */
function listUnauthorized(
  { selection_type, property_tags }: ProductSelector,
  items: readonly JudgedItem[],
): string[] | undefined {
  if (selection_type === 'by_id') {
    return items.filter(item => !item.authorized).flatMap(({ id }) => id ?? [])
  }
  if (selection_type === 'all') return undefined
  const carried = new Set(
    items
      .filter(item => item.authorized)
      .flatMap(({ sales }) => sales.flatMap(({ property }) => property.tags)),
  )
  return property_tags.filter(tag => !carried.has(tag))
}

/** Names the source of a sale: the publisher, or only the agent's own operator. */
function getSource(
  granting: PublisherSide | undefined,
  items: readonly JudgedItem[],
): JudgedSelector['source'] {
  if (granting !== undefined && granting.grants.length > 0) return 'adagents_json'
  const isClaimed = items.some(({ sales }) =>
    sales.some(({ verdict }) => isDeclared(verdict.judged.operator.rule)),
  )
  return isClaimed ? 'agent_claim' : 'none'
}

function isDeclared(rule: Verdict['judged']['operator']['rule']): boolean {
  return (
    rule === 'declared_alike' || rule === 'declared_otherwise' || rule === 'delegation_not_stated'
  )
}

function combineSides(
  items: readonly JudgedItem[],
  inventory: Inventory | undefined,
): Verdict['sides'] {
  if (inventory === undefined) return unknown
  const { sides } = tallyVerdicts(items.flatMap(({ sales }) => sales.map(sale => sale.verdict)))
  const lacks = items.some(({ sales }) => sales.length === 0)
  if (!lacks) return sides
  const isUnread = inventory.stored.left_out?.includes('properties') ?? false
  return {
    ...sides,
    publisher: isUnread && sides.publisher !== 'mismatch' ? 'unknown' : 'mismatch',
  }
}

const unknown = { publisher: 'unknown', operator: 'unknown' } as const

function combineAll(all: readonly Verdict['sides'][]): Verdict['sides'] {
  const combineSide = (name: keyof Verdict['sides']): Side => {
    const answers = new Set(all.map(sides => sides[name]))
    if (answers.has('mismatch')) return 'mismatch'
    return answers.size === 1 && answers.has('match') ? 'match' : 'unknown'
  }
  return { publisher: combineSide('publisher'), operator: combineSide('operator') }
}

function buildNothingAsked(domain: string | undefined): Evidence {
  const text =
    domain === undefined
      ? 'the selector names no publisher'
      : 'the selector selects no active property of the publisher'
  return {
    side: 'publisher',
    ...(domain !== undefined && { domain }),
    rule: 'nothing_selected',
    says: 'unknown',
    text,
  }
}

function buildNotListed(
  domain: string | undefined,
  property_id: string,
  isUnread: boolean,
): Evidence {
  const facts = { side: 'publisher', ...(domain !== undefined && { domain }), property_id } as const
  if (isUnread) {
    const rule = 'left_out_too_broad'
    const text = 'the file is too broad to be read in full, so the registry cannot tell'
    return { ...facts, rule, says: 'unknown', text }
  }
  return {
    ...facts,
    rule: 'property_not_listed',
    says: 'mismatch',
    text: 'the publisher lists no active property with this ID',
  }
}
