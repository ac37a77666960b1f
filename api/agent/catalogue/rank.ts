import { type Product, products } from './products.ts'

/** Words of a text in lower case; those of one or two letters tell nothing. */
function splitWords(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [])
}

function listWords({ name, description, publisher, offer }: Product): Set<string> {
  return splitWords(`${name} ${description} ${publisher.countries.join(' ')} ${offer.kind}`)
}

const wordsByProduct = new Map(products.map(product => [product, listWords(product)]))

/** Share of the words of a text that a product has, 0 to 1. */
export function scoreProduct(product: Product, text: string): number {
  const wanted = splitWords(text)
  const own = wordsByProduct.get(product) ?? listWords(product)
  const matched = [...wanted].filter(word => own.has(word))
  return wanted.size === 0 ? 0 : matched.length / wanted.size
}

/**
 * Products in the order of how much of a text they have. Those that have nothing of it are left out,
 * unless all have nothing: a brief that names no topic is answered with everything.
 */
export function rankProducts(candidates: readonly Product[], text: string): Product[] {
  const scored = candidates.map(product => ({ product, score: scoreProduct(product, text) }))
  const matching = scored.filter(({ score }) => score > 0)
  return (matching.length > 0 ? matching : scored)
    .sort((a, b) => b.score - a.score)
    .map(({ product }) => product)
}
