import fc from 'fast-check'
import { toIso } from '../../../pipeline/core/clock.ts'
import { buildOperatorFile } from '../fixtures/operator-files.ts'

export const HOUR = 3_600_000
export const relationships = ['owned', 'direct', 'delegated', 'ad_network'] as const
export const delegations = ['direct', 'delegated', 'ad_network'] as const
export const places = ['top', 'foot'] as const
export const countries = ['GB', 'FR'] as const
export const shows = ['early', 'late'] as const
const tags = ['x', 'y'] as const

/** Undefined once in `freq` times. */
export const maybe = <Value>(arbitrary: fc.Arbitrary<Value>, freq = 2) =>
  fc.option(arbitrary, { nil: undefined, freq })
/** Undefined three times in four. */
export const sometimes = <Value>(arbitrary: fc.Arbitrary<Value>) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: arbitrary as fc.Arbitrary<Value | undefined> },
  )
export const some = <Value>(...values: Value[]) => fc.subarray(values, { minLength: 1 })

const property = fc.record({ tags: fc.subarray([...tags]) })
const selection = fc.oneof(
  fc.record({ by: fc.constant('ids' as const), of: some(0, 1, 2) }),
  fc.record({ by: fc.constant('tags' as const), of: some(...tags) }),
  fc.constant({ by: 'all' as const, of: [] }),
  fc.constant({ by: 'signals' as const, of: [] }),
)
const entry = fc.record({
  agent: fc.constantFrom(0, 0, 1),
  selection,
  delegation: maybe(fc.constantFrom(...delegations), 3),
  countries: sometimes(some(...countries)),
  placements: sometimes(some(...places)),
  collections: sometimes(some(...shows)),
  /** Hours from now at which the window opens and closes. */
  opens: sometimes(fc.constantFrom(-5, 5)),
  closes: sometimes(fc.constantFrom(-3, 7)),
})
/** A publisher whose file authorizes two agents, and what their operator declares. */
export const saleWorld = fc.record({
  properties: fc.array(property, { minLength: 2, maxLength: 3 }),
  entries: fc.array(entry, { minLength: 1, maxLength: 4, size: 'max' }),
  /**
   * Relationships that the operator's brand.json declares for each property; undefined without such a
   * file.
   */
  declared: maybe(
    fc.record({
      names: fc.boolean(),
      of: fc.array(fc.tuple(fc.constantFrom(0, 0, 1, 2), fc.constantFrom(...relationships)), {
        minLength: 1,
        maxLength: 5,
        size: 'max',
      }),
    }),
    4,
  ),
  isItself: fc.boolean(),
  /** The collections that `top` is on; undefined where its file does not say. */
  topIn: maybe(fc.subarray([...shows])),
})

export type SaleWorld = typeof saleWorld extends fc.Arbitrary<infer Value> ? Value : never
export type NamedSales = SaleWorld & {
  publisher: string
  agents: [string, string]
  operator: string
}

/** An operator that declares another relationship for the first property than its publisher grants. */
export const contradictedSale: SaleWorld = {
  properties: [{ tags: [] }, { tags: [] }],
  entries: [
    {
      agent: 0,
      selection: { by: 'all', of: [] },
      delegation: 'direct',
      countries: undefined,
      placements: undefined,
      collections: undefined,
      opens: undefined,
      closes: undefined,
    },
  ],
  declared: { names: true, of: [[0, 'ad_network']] },
  isItself: false,
  topIn: undefined,
}

/** Names a world so that it has no domain in common with those of other numbers. */
export function nameSales(world: SaleWorld, n: number): NamedSales {
  const publisher = `pub${n}.example`
  const operator = world.isItself ? publisher : `op${n}.example`
  const agents: [string, string] = [`https://mcp.${operator}/a`, `https://mcp.${operator}/b`]
  return { ...world, publisher, operator, agents }
}

/** Builds the files of a world, for `publishFiles`. */
export function buildSaleFiles(
  { publisher, agents, operator, ...world }: NamedSales,
  now: number,
): Record<string, object> {
  const id = (index: number) => `p${index}`
  const adagents = {
    properties: world.properties.map((property, index) => ({
      property_type: 'website',
      name: id(index),
      property_id: id(index),
      tags: property.tags,
      identifiers: [{ type: 'domain', value: `${id(index)}.${publisher}` }],
    })),
    placements: [
      {
        placement_id: 'top',
        name: 'Top',
        property_ids: ['p0'],
        ...(world.topIn && { collection_ids: world.topIn }),
      },
      { placement_id: 'foot', name: 'Foot', property_ids: world.properties.map((_, i) => id(i)) },
    ],
    authorized_agents: world.entries.map(entry => ({
      url: agents[entry.agent],
      authorized_for: 'Sales',
      ...(entry.selection.by === 'ids' && {
        authorization_type: 'property_ids',
        property_ids: (entry.selection.of as number[]).map(id),
      }),
      ...(entry.selection.by === 'tags' && {
        authorization_type: 'property_tags',
        property_tags: entry.selection.of,
      }),
      ...(entry.selection.by === 'all' && {
        authorization_type: 'publisher_properties',
        publisher_properties: [{ publisher_domain: publisher, selection_type: 'all' }],
      }),
      ...(entry.selection.by === 'signals' && {
        authorization_type: 'signal_tags',
        signal_tags: ['reading'],
      }),
      ...(entry.delegation && { delegation_type: entry.delegation }),
      ...(entry.countries && { countries: entry.countries }),
      ...(entry.placements && { placement_ids: entry.placements }),
      ...(entry.collections && {
        collections: [{ publisher_domain: publisher, collection_ids: entry.collections }],
      }),
      ...(entry.opens !== undefined && { effective_from: toIso(now + entry.opens * HOUR) }),
      ...(entry.closes !== undefined && { effective_until: toIso(now + entry.closes * HOUR) }),
    })),
  }
  const { declared } = world
  const brand = declared && {
    [`brand ${operator}`]: buildOperatorFile(
      declared.names ? agents : [],
      declared.of.map(([index, relationship]) => ({
        identifier: `${id(index)}.${publisher}`,
        relationship,
      })),
    ),
  }
  return { [publisher]: adagents, ...brand }
}
