import { z } from 'zod'
import { DAY, toIso } from '../../../pipeline/core/clock.ts'
import { getFirst } from '../../../pipeline/core/present.ts'
import { type Account, CallersId, saveAccount } from '../accounts.ts'
import { findListedProduct, pickTerms, products } from '../catalogue/products.ts'
import { saveFormat } from '../catalogue/seeded-formats.ts'
import type { SeededProduct } from '../catalogue/seeded-products.ts'
import { creativeStatuses } from '../creatives/creative.ts'
import { toLibraryScope } from '../creatives/library.ts'
import { PlanRequest, savePlan } from '../governance/plan.ts'
import { saveMediaBuy } from '../media-buys/media-buy-store.ts'
import type { TaskContext } from '../task-context.ts'
import { toFormatId } from '../tasks/format-id.ts'
import { ControllerError } from './controller-error.ts'
import { forceMediaBuyStatus, parseParams } from './force-status.ts'

const FormatName = z.looseObject({ id: z.string().max(200) })

const channels = { video: 'olv', olv: 'olv', ctv: 'ctv', display: 'display' } as const

const Product = z.looseObject({
  product_id: CallersId,
  fixture: z
    .looseObject({
      name: z.string().max(500).optional(),
      description: z.string().max(2000).optional(),
      delivery_type: z.enum(['guaranteed', 'non_guaranteed']).default('non_guaranteed'),
      channels: z.array(z.string()).default([]),
      format_ids: z.array(FormatName).max(50).default([]),
    })
    .prefault({}),
})

/** Puts a product into the sandbox; prices that it already has stay. */
export function seedProduct(
  params: unknown,
  account: Account,
  { state, tenant, now }: TaskContext,
) {
  const { product_id, fixture } = parseParams(Product, params)
  if (findListedProduct(product_id)) return toSeeded(`product ${product_id} of the catalogue`)
  const known = state.get('product', tenant, product_id)
  const [channel = ''] = fixture.channels
  const seeded: SeededProduct = {
    product_id,
    account_id: account.account_id,
    name: fixture.name ?? product_id.replaceAll('_', ' '),
    description: fixture.description ?? 'A product that a test put into the sandbox',
    delivery: fixture.delivery_type,
    channel: channels[channel as keyof typeof channels] ?? 'display',
    formats: fixture.format_ids.map(({ id }) => id),
    prices: known?.prices ?? [],
  }
  state.put('product', tenant, product_id, seeded, { now })
  return toSeeded(`product ${product_id}`)
}

const Price = z.looseObject({
  product_id: CallersId,
  pricing_option_id: CallersId,
  fixture: z
    .looseObject({
      currency: z
        .string()
        .regex(/^[A-Z]{3}$/)
        .default('USD'),
      fixed_price: z.number().positive().optional(),
      floor_price: z.number().positive().optional(),
    })
    .prefault({}),
})

/** Adds a price to a product of the sandbox, or changes it. */
export function seedPricingOption(params: unknown, { state, tenant, now }: TaskContext) {
  const { product_id, pricing_option_id: id, fixture } = parseParams(Price, params)
  const known = state.get('product', tenant, product_id)
  if (!known) throw new ControllerError('NOT_FOUND', `no test added a product ${product_id}`)
  const cpm = fixture.fixed_price ?? fixture.floor_price ?? 5
  const others = known.prices.filter(price => price.id !== id)
  const prices = [...others, { id, cpm, currency: fixture.currency }]
  state.put('product', tenant, product_id, { ...known, prices }, { now })
  return toSeeded(`price ${id} of ${product_id}`)
}

const Creative = z.looseObject({
  creative_id: CallersId,
  fixture: z
    .looseObject({
      name: z.string().max(500).optional(),
      status: z.enum(creativeStatuses).default('approved'),
      format_id: FormatName.default({ id: 'display_300x250' }),
      assets: z.record(z.string(), z.looseObject({})).default({}),
    })
    .prefault({}),
})

/** Puts a creative into the library of an account without checking its assets. */
export function seedCreative(params: unknown, account: Account, context: TaskContext) {
  const { creative_id, fixture } = parseParams(Creative, params)
  const { state, tenant, now } = context
  const creative = {
    creative_id,
    name: fixture.name ?? creative_id,
    format_id: toFormatId(fixture.format_id.id, context),
    assets: fixture.assets,
    tags: [],
    status: fixture.status,
    createdAt: now,
    updatedAt: now,
  }
  saveAccount(account, context)
  state.put('creative', toLibraryScope(context, account.account_id), creative_id, creative, { now })
  state.put('creative_owner', tenant, creative_id, account.account_id, { now })
  return toSeeded(`creative ${creative_id}`)
}

const SeededFormat = z.looseObject({
  format_id: z.string().regex(/^[A-Za-z0-9_-]{1,200}$/, 'must be letters, digits, _ and -'),
  fixture: z
    .looseObject({
      name: z.string().max(500).optional(),
      description: z.string().max(2000).optional(),
      type: z.enum(['audio', 'video', 'display', 'dooh']).default('display'),
    })
    .prefault({}),
})

/** Types of the one asset of a seeded format, by the type of the format. */
const mainAssets = { display: 'image', dooh: 'image', video: 'video', audio: 'audio' } as const

/** Puts a format into the sandbox of an account, which is then shown the formats of tests alone. */
export function seedFormat(params: unknown, accountId: string, context: TaskContext) {
  const { format_id: id, fixture } = parseParams(SeededFormat, params)
  const { name = id, description = 'A format that a test put into the sandbox', type } = fixture
  const asset = mainAssets[type]
  const assets = [{ asset_id: asset, asset_type: asset, required: true }]
  saveFormat({ id, name, description, type, isResponsive: true, assets }, accountId, context)
  return toSeeded(`format ${id}`)
}

const Plan = z.looseObject({ plan_id: CallersId, fixture: z.looseObject({}) })

/** Registers a plan. */
export function seedPlan(params: unknown, context: TaskContext) {
  const { plan_id, fixture } = parseParams(Plan, params)
  const request = parseParams(PlanRequest, { ...fixture, plan_id })
  savePlan({ plan_id, version: 1, request, committed: 0, syncedAt: context.now }, context)
  return toSeeded(`plan ${plan_id}`)
}

const Buy = z.looseObject({
  media_buy_id: CallersId,
  fixture: z
    .looseObject({
      status: z.string().default('active'),
      budget: z.looseObject({ total: z.number().min(0) }).optional(),
    })
    .prefault({}),
})

/** Puts a media buy with one package into the sandbox, which runs for a month from now on. */
export function seedMediaBuy(params: unknown, account: Account, context: TaskContext) {
  const { media_buy_id, fixture } = parseParams(Buy, params)
  const { now } = context
  const product = getFirst(products)
  saveAccount(account, context)
  saveMediaBuy(
    {
      media_buy_id,
      account,
      brand: account.brand,
      revision: 1,
      createdAt: now,
      updatedAt: now,
      start: now,
      end: now + 30 * DAY,
      isPaused: false,
      currency: product.offer.currency,
      packages: [
        {
          package_id: `pkg_${media_buy_id}`,
          product_id: product.id,
          pricing_option_id: 'cpm_auction',
          terms: pickTerms(product),
          budget: fixture.budget?.total ?? 1000,
          shown: {},
          creative_assignments: [],
          isPaused: false,
          periods: [],
        },
      ],
      history: [{ revision: 1, at: now, action: 'seeded' }],
    },
    context,
  )
  if (fixture.status !== 'pending_creatives') {
    forceMediaBuyStatus({ media_buy_id, status: fixture.status }, context)
  }
  return toSeeded(`media buy ${media_buy_id}, as of ${toIso(now)}`)
}

function toSeeded(what: string) {
  return { success: true, message: `Added the ${what}` }
}
