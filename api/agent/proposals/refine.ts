import type { Product } from '../catalogue/products.ts'
import type { Offer } from '../catalogue/publishers.ts'
import { findProduct, listProducts } from '../catalogue/seeded-products.ts'
import type { TaskContext } from '../task-context.ts'
import type { Allocation, Proposal } from './proposal.ts'

/** Words that a request may use for each channel. */
const words: Record<Offer['kind'], RegExp> = {
  display: /\bdisplay\b|\bbanners?\b/i,
  olv: /\b(?:olv|online video|video)\b/i,
  ctv: /\b(?:ctv|connected tv)\b/i,
  streaming_audio: /\b(?:audio|radio)\b/i,
  dooh: /\b(?:dooh|screens?)\b/i,
}

const kinds = Object.keys(words) as Offer['kind'][]

interface Share {
  product: Product
  share: number
}

/**
 * Changes a proposal by the parts of a request that are understood: "drop display" removes a channel, "60%
 * to CTV" gives it that share of the budget. Undefined if nothing is understood or possible.
 */
export function refineProposal(
  proposal: Proposal,
  ask: string,
  accountId: string | undefined,
  context: TaskContext,
): Proposal | undefined {
  const before = proposal.allocations.flatMap(({ product_id, share }): Share[] => {
    const product = findProduct(product_id, context)
    return product ? [{ product, share }] : []
  })
  const offered = listProducts(accountId, context)
  const after = ask
    .split(/[.;\n]/)
    .reduce(
      (shares, sentence) => moveShare(dropChannels(shares, sentence), sentence, offered),
      before,
    )
  if (after === before || after.length === 0) return undefined
  const { proposal_id } = proposal
  return { proposal_id, allocations: roundShares(after) }
}

function dropChannels(shares: Share[], sentence: string): Share[] {
  const [, dropped] = /\b(?:drop|remove|without|exclude)\b(.*?)(?:\band\b|$)/i.exec(sentence) ?? []
  if (dropped === undefined) return shares
  const gone = kinds.filter(kind => words[kind].test(dropped))
  const left = shares.filter(({ product }) => !gone.includes(product.offer.kind))
  return left.length === shares.length ? shares : left
}

/** Gives a channel a share of the budget, and scales the others to the rest. */
function moveShare(shares: Share[], sentence: string, offered: readonly Product[]): Share[] {
  const [, percent, target] = /(\d{1,3})\s?%.*?\bto\b(.*)$/i.exec(sentence) ?? []
  const share = Number(percent)
  const kind = kinds.find(known => target !== undefined && words[known].test(target))
  if (!kind || share > 100) return shares
  const currency = shares[0]?.product.offer.currency
  const product =
    shares.find(({ product }) => product.offer.kind === kind)?.product ??
    offered.find(({ offer }) => offer.kind === kind && offer.currency === currency)
  if (!product) return shares
  const others = shares.filter(other => other.product !== product)
  const sum = others.reduce((total, other) => total + other.share, 0)
  const rest = others.map(other => ({ ...other, share: (other.share / sum) * (100 - share) }))
  return [{ product, share: sum === 0 ? 100 : share }, ...rest.filter(other => other.share > 0)]
}

/** Rounds shares to whole percents that add up to 100: the first gets the remainder. */
function roundShares(shares: readonly Share[]): Allocation[] {
  const sum = shares.reduce((total, { share }) => total + share, 0)
  const rounded = shares.map(({ product, share }) => ({
    product_id: product.id,
    share: Math.round((share / sum) * 100),
  }))
  const rest = 100 - rounded.reduce((total, { share }) => total + share, 0)
  return rounded.map((item, at) => (at === 0 ? { ...item, share: item.share + rest } : item))
}
