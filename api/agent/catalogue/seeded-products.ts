import { getFirst, getLast } from '../../../pipeline/core/present.ts'
import type { TaskContext } from '../task-context.ts'
import { formats } from './formats.ts'
import { findListedProduct, type Product, products } from './products.ts'
import { type Offer, publishers } from './publishers.ts'

declare module '../state/store.ts' {
  interface Records {
    /** Products that a test put into the sandbox, by tenant. */
    product: SeededProduct
  }
}

interface Price {
  id: string
  cpm: number
  currency: string
}

/** A product that a test put into the sandbox. It is listed only for the test's account. */
export interface SeededProduct {
  product_id: string
  account_id: string
  name: string
  description: string
  delivery: Offer['delivery']
  channel: Offer['kind']
  formats: readonly string[]
  prices: readonly Price[]
}

/** The price of a product for which a test has set none. */
const FIRST_PRICE: Price = { id: 'default', cpm: 5, currency: 'USD' }

/** Finds a product by its id: one of the catalogue, or one that a test put here. */
export function findProduct(id: string, { state, tenant }: TaskContext): Product | undefined {
  const seeded = state.get('product', tenant, id)
  return seeded ? toProduct(seeded) : findListedProduct(id)
}

/**
 * Lists the products that an account can buy, in the order of the catalogue; without an account none that a
 * test put here.
 */
export function listProducts(
  accountId: string | undefined,
  { state, tenant }: TaskContext,
): readonly Product[] {
  if (accountId === undefined) return products
  const seeded = state.list('product', tenant).filter(({ account_id }) => account_id === accountId)
  return seeded.length === 0 ? products : [...products, ...seeded.map(toProduct)]
}

/** Converts an entry to a product; every product of the sandbox belongs to the practice publisher. */
function toProduct(seeded: SeededProduct): Product {
  const prices = seeded.prices.length > 0 ? seeded.prices : [FIRST_PRICE]
  const { cpm, currency } = getFirst(prices)
  const known = new Set(formats.map(({ id }) => id))
  return {
    id: seeded.product_id,
    name: seeded.name,
    description: seeded.description,
    publisher: getLast(publishers),
    offer: {
      kind: seeded.channel,
      delivery: seeded.delivery,
      cpm,
      currency,
      ids: { product: seeded.product_id, pricingOptions: prices.map(({ id }) => id) },
    },
    formats: seeded.formats.filter(id => known.has(id)),
  }
}
