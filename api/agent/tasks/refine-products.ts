import { z } from 'zod'
import type { Product } from '../catalogue/products.ts'
import { rankProducts } from '../catalogue/rank.ts'

/** One refinement of a selection: of the whole, a product, or a proposal. */
export const Refinement = z
  .discriminatedUnion('scope', [
    z.object({ scope: z.literal('request'), ask: z.string() }),
    z.object({
      scope: z.literal('product'),
      product_id: z.string(),
      action: z.enum(['include', 'omit', 'more_like_this']).default('include'),
      ask: z.string().optional(),
    }),
    z.object({
      scope: z.literal('proposal'),
      proposal_id: z.string(),
      action: z.enum(['include', 'omit', 'finalize']).default('include'),
      ask: z.string().optional(),
    }),
  ])
  .describe('A refinement of the whole selection, one product or one proposal')
type Refinement = z.infer<typeof Refinement>

/** The outcomes of the refinements, in their order. */
interface Applied {
  scope: Refinement['scope']
  product_id?: string
  proposal_id?: string
  status: 'applied' | 'partial' | 'unable'
  notes?: string
}

interface Selection {
  products: Product[]
  applied: Applied[]
}

/** Applies a refinement to a proposal; false if that is impossible. */
export type ProposalChange = (refinement: Extract<Refinement, { scope: 'proposal' }>) => boolean

/**
 * Applies refinements to a selection, one after the other. The selection starts with the products that they
 * name, or with all if they name none.
 */
export function applyRefinements(
  candidates: readonly Product[],
  refinements: readonly Refinement[],
  changeProposal: ProposalChange,
): Selection {
  const named = refinements.filter(
    refinement => refinement.scope === 'product' && refinement.action !== 'omit',
  ).length
  let products = named > 0 ? [] : [...candidates]
  const applied = refinements.map(refinement => {
    const outcome = applyRefinement(products, candidates, refinement, changeProposal)
    products = outcome.products
    return outcome.applied
  })
  return { products, applied }
}

function applyRefinement(
  selected: Product[],
  candidates: readonly Product[],
  refinement: Refinement,
  changeProposal: ProposalChange,
): { products: Product[]; applied: Applied } {
  if (refinement.scope === 'proposal') {
    const { scope, proposal_id } = refinement
    const isDone = changeProposal(refinement)
    const outcome = isDone
      ? { status: 'applied' as const }
      : {
          status: 'unable' as const,
          notes: 'There is no such proposal, or the change is not possible',
        }
    return { products: selected, applied: { scope, proposal_id, ...outcome } }
  }
  if (refinement.scope === 'request') {
    const products = rankProducts(selected.length > 0 ? selected : candidates, refinement.ask)
    return { products, applied: { scope: 'request', status: 'applied' } }
  }
  const { scope, product_id, action } = refinement
  const product = candidates.find(({ id }) => id === product_id)
  if (!product) {
    const notes = `There is no product ${product_id} here`
    return { products: selected, applied: { scope, product_id, status: 'unable', notes } }
  }
  const products = changeSelection(selected, candidates, product, action)
  return { products, applied: { scope, product_id, status: 'applied' } }
}

function changeSelection(
  selected: readonly Product[],
  candidates: readonly Product[],
  product: Product,
  action: 'include' | 'omit' | 'more_like_this',
): Product[] {
  if (action === 'omit') return selected.filter(first => first !== product)
  const alike =
    action === 'more_like_this' ? candidates.filter(first => isAlike(first, product)) : []
  return [...new Set([...selected, product, ...alike])]
}

/** Tells whether two products are alike: they share a channel, or a topic of their publishers. */
function isAlike(first: Product, other: Product): boolean {
  return (
    first.offer.kind === other.offer.kind ||
    first.publisher.topics.some(topic => other.publisher.topics.includes(topic))
  )
}
