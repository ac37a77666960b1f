import { z } from 'zod'
import { requireValue } from '../../../pipeline/core/present.ts'
import { AccountRef, BrandRef, resolveAccount } from '../accounts.ts'
import { buildForecast } from '../catalogue/forecast.ts'
import { listPricingOptionIds, type Product } from '../catalogue/products.ts'
import { rankProducts } from '../catalogue/rank.ts'
import { listProducts } from '../catalogue/seeded-products.ts'
import { TaskError } from '../errors.ts'
import { PropertyListRef, readForSeller } from '../governance/property-list.ts'
import { buildMatcher, resolveProperties } from '../governance/resolve-properties.ts'
import { cutPage, Pagination } from '../paging.ts'
import { ChangedProposals } from '../proposals/changed-proposals.ts'
import { defineTask } from '../task.ts'
import type { TaskContext } from '../task-context.ts'
import { FormatId, toFormatId } from './format-id.ts'
import { applyRefinements, Refinement } from './refine-products.ts'

const Filters = z
  .looseObject({
    delivery_type: z.enum(['guaranteed', 'non_guaranteed']).optional(),
    format_ids: z.array(FormatId).optional().describe('Products that accept one of these'),
    channels: z.array(z.string()).optional().describe('Products of one of these'),
    countries: z
      .array(z.string())
      .optional()
      .describe('ISO 3166 codes; products sold in one of them'),
  })
  .describe('Filters of products')

const Input = z.object({
  buying_mode: z
    .enum(['brief', 'wholesale', 'refine'])
    .default('brief')
    .describe('How products are chosen: by a brief, all of them, or by refining a selection'),
  brief: z.string().optional().describe('What the campaign is for, in plain words'),
  refine: z.array(Refinement).min(1).optional().describe('What to change in the selection'),
  filters: Filters.optional(),
  property_list: PropertyListRef.optional().describe('Only products on properties of this list'),
  account: AccountRef.optional(),
  brand: BrandRef.optional(),
  fields: z
    .array(z.string())
    .optional()
    .describe('Only these fields of each product, in addition to the required ones'),
  pagination: Pagination.optional(),
})

type Request = z.infer<typeof Input>

export const getProducts = defineTask({
  name: 'get_products',
  title: 'Find products',
  description: 'Finds inventory for a brief, with prices and forecasts, or refines a selection',
  input: Input,
  run(request, context) {
    checkMode(request)
    const accountId = request.account && resolveAccount(request.account, context).account_id
    const list = request.property_list && readForSeller(request.property_list, context)
    const isListed = list && buildMatcher(resolveProperties(list).identifiers)
    const candidates = listProducts(accountId, context).filter(
      product =>
        matchesFilters(product, request.filters) &&
        (!isListed || isListed({ type: 'domain', value: product.publisher.domain })),
    )
    const changed = new ChangedProposals(accountId, context)
    const refined =
      request.buying_mode === 'refine'
        ? applyRefinements(candidates, requireValue(request.refine, 'refinement'), refinement =>
            changed.apply(refinement),
          )
        : undefined
    const chosen =
      refined?.products ??
      (request.buying_mode === 'brief' ? rankProducts(candidates, request.brief ?? '') : candidates)
    const { items, pagination } = cutPage(chosen, request.pagination)
    const isFirstPage = request.pagination?.cursor === undefined
    if (request.buying_mode === 'brief' && isFirstPage) changed.propose(items, request.brief ?? '')
    const shown = changed.addProducts(items)
    return {
      products: shown.map(product => project(describeProduct(product, context), request.fields)),
      ...changed.describe(),
      ...(request.property_list && { property_list_applied: list !== undefined }),
      ...(refined && { refinement_applied: refined.applied }),
      pagination,
      sandbox: true,
    }
  },
})

function checkMode({ buying_mode, brief, refine }: Request): void {
  if (buying_mode === 'wholesale' && brief !== undefined) {
    throw new TaskError(
      'INVALID_REQUEST',
      'brief: wholesale lists everything, so it accepts none',
      {
        field: 'brief',
      },
    )
  }
  if (buying_mode === 'refine' && refine === undefined) {
    throw new TaskError('INVALID_REQUEST', 'refine: is required to refine a selection', {
      field: 'refine',
    })
  }
}

function matchesFilters(product: Product, filters: z.infer<typeof Filters> = {}): boolean {
  const { delivery_type, format_ids, channels, countries } = filters
  return (
    (!delivery_type || product.offer.delivery === delivery_type) &&
    (!format_ids || format_ids.some(({ id }) => product.formats.includes(id))) &&
    (!channels || channels.includes(product.offer.kind)) &&
    (!countries || countries.some(code => product.publisher.countries.includes(code.toUpperCase())))
  )
}

function describeProduct(product: Product, context: TaskContext): Record<string, unknown> {
  const { id, name, description, publisher, offer } = product
  const isFixed = offer.delivery === 'guaranteed'
  return {
    product_id: id,
    name,
    description,
    publisher_properties: [{ publisher_domain: publisher.domain, selection_type: 'all' }],
    channels: [offer.kind],
    format_ids: product.formats.map(format => toFormatId(format, context)),
    delivery_type: offer.delivery,
    pricing_options: listPricingOptionIds(product).map(pricing_option_id => ({
      pricing_option_id,
      pricing_model: 'cpm',
      currency: offer.currency,
      ...(isFixed ? { fixed_price: offer.cpm } : { floor_price: offer.cpm }),
    })),
    reporting_capabilities: {
      available_reporting_frequencies: ['daily'],
      expected_delay_minutes: 60,
      timezone: 'UTC',
      supports_webhooks: false,
      available_metrics: ['impressions', 'spend', 'clicks'],
      date_range_support: 'date_range',
    },
    forecast: buildForecast(product),
  }
}

/** Fields that every product has, however few are requested: the public schema requires them. */
const ALWAYS_SENT = new Set([
  'product_id',
  'name',
  'description',
  'publisher_properties',
  'format_ids',
  'delivery_type',
  'pricing_options',
  'reporting_capabilities',
])

function project(product: Record<string, unknown>, fields?: string[]): Record<string, unknown> {
  if (!fields) return product
  const wanted = Object.entries(product).filter(
    ([key]) => ALWAYS_SENT.has(key) || fields.includes(key),
  )
  return Object.fromEntries(wanted)
}
