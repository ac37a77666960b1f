import { type Product, products } from './products.ts'

/** Splits a text into words in lower case; words of one or two letters are left out. */
function splitWords(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [])
}

function listWords({ name, description, publisher, offer }: Product): Set<string> {
  return splitWords(`${name} ${description} ${publisher.countries.join(' ')} ${offer.kind}`)
}

const wordsByProduct = new Map(products.map(product => [product, listWords(product)]))

/** Scores a product by the share of the words of a text that it contains, 0 to 1. */
export function scoreProduct(product: Product, text: string): number {
  const wanted = splitWords(text)
  const own = wordsByProduct.get(product) ?? listWords(product)
  const matched = [...wanted].filter(word => own.has(word))
  return wanted.size === 0 ? 0 : matched.length / wanted.size
}

/**
 * Ranks products by how many words of a text they contain. Products with none are left out, unless all have
 * none: a brief that names no topic is answered with everything.
 */
export function rankProducts(candidates: readonly Product[], text: string): Product[] {
  const scored = candidates.map(product => ({ product, score: scoreProduct(product, text) }))
  const matching = scored.filter(({ score }) => score > 0)
  return (matching.length > 0 ? matching : scored)
    .sort((a, b) => b.score - a.score)
    .map(({ product }) => product)
}
