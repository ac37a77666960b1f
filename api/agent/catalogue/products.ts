import { getFirst } from '../../../pipeline/core/present.ts'
import { formats } from './formats.ts'
import { type Offer, type Publisher, publishers } from './publishers.ts'

/** A product that the sales tenant offers. */
export interface Product {
  id: string
  name: string
  description: string
  publisher: Publisher
  offer: Offer
  /** Ids of formats that it accepts. */
  formats: readonly string[]
}

const names: Record<Offer['kind'], string> = {
  display: 'Display',
  olv: 'Online video',
  ctv: 'Connected TV',
  streaming_audio: 'Audio',
  dooh: 'Public screens',
}

/** Formats that each kind of inventory accepts, by the beginning of their ids. */
const accepted: Record<Offer['kind'], RegExp> = {
  display: /^(?:display|native)_/,
  olv: /^(?:video|vast)_/,
  ctv: /^(?:video|vast)_(?:15|30)s$/,
  streaming_audio: /^audio_/,
  dooh: /^dooh_/,
}

function buildProduct(publisher: Publisher, offer: Offer): Product {
  const isGuaranteed = offer.delivery === 'guaranteed'
  const label = getFirst(publisher.domain.split('.')).replaceAll('-', '_')
  return {
    id: offer.ids?.product ?? `${label}_${offer.kind}_${isGuaranteed ? 'reserved' : 'auction'}`,
    name: `${publisher.name}: ${names[offer.kind]}, ${isGuaranteed ? 'reserved' : 'by auction'}`,
    description:
      `${names[offer.kind]} on ${publisher.name} (${publisher.topics.join(', ')}), ` +
      (isGuaranteed ? 'delivered in full at a fixed price' : 'bought by impression'),
    publisher,
    offer,
    formats: formats.map(({ id }) => id).filter(id => accepted[offer.kind].test(id)),
  }
}

/** All products, in the order in which they are listed without a brief. */
export const products: readonly Product[] = publishers.flatMap(publisher =>
  publisher.offers.map(offer => buildProduct(publisher, offer)),
)

/** Finds a product of the catalogue by its id. */
export function findListedProduct(id: string): Product | undefined {
  return products.find(product => product.id === id)
}

/** Lists the ids of a product's pricing options: fixed, or by bidding. */
export function listPricingOptionIds({ offer }: Product): readonly string[] {
  if (offer.ids) return offer.ids.pricingOptions
  return [offer.delivery === 'guaranteed' ? 'cpm_fixed' : 'cpm_auction']
}

/** Terms of a product at the time of the purchase. */
export interface BoughtTerms {
  cpm: number
  isGuaranteed: boolean
  formats: readonly string[]
}

/** Picks the terms of a product that a package records. */
export function pickTerms({ offer, formats }: Product): BoughtTerms {
  return { cpm: offer.cpm, isGuaranteed: offer.delivery === 'guaranteed', formats }
}
