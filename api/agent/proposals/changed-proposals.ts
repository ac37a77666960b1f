import type { Product } from '../catalogue/products.ts'
import { findProduct } from '../catalogue/seeded-products.ts'
import type { TaskContext } from '../task-context.ts'
import type { ProposalChange } from '../tasks/refine-products.ts'
import {
  commitProposal,
  describeProposal,
  findProposal,
  type Proposal,
  proposeBalanced,
  storeProposal,
} from './proposal.ts'
import { refineProposal } from './refine.ts'

/** Holds the proposals that one request makes or changes: its answer contains these. */
export class ChangedProposals {
  readonly #accountId: string | undefined
  readonly #context: TaskContext
  readonly #changed = new Map<string, Proposal>()

  constructor(accountId: string | undefined, context: TaskContext) {
    this.#accountId = accountId
    this.#context = context
  }

  /** Makes a proposal from products that match a brief, if they are enough for one. */
  propose(products: readonly Product[], brief: string): void {
    const proposal = proposeBalanced(products, brief)
    if (proposal) this.#keep(proposal)
  }

  /** Applies a refinement to a proposal; false if that is impossible. */
  apply({ proposal_id, action, ask }: Parameters<ProposalChange>[0]): boolean {
    const known = findProposal(proposal_id, this.#accountId, this.#context)
    if (!known) return false
    if (action === 'omit') return this.#changed.delete(proposal_id) || true
    const refined =
      ask === undefined ? known : refineProposal(known, ask, this.#accountId, this.#context)
    if (!refined) {
      this.#changed.set(proposal_id, known)
      return false
    }
    this.#keep(action === 'finalize' ? commitProposal(refined, this.#context.now) : refined)
    return true
  }

  /** Adds the products of the proposals to a page, since proposals refer to them. */
  addProducts(items: readonly Product[]): readonly Product[] {
    const ids = [...this.#changed.values()].flatMap(({ allocations }) =>
      allocations.map(({ product_id }) => product_id),
    )
    const shown = new Set(items.map(({ id }) => id))
    const missing = [...new Set(ids)].filter(id => !shown.has(id))
    const added = missing.flatMap(id => findProduct(id, this.#context) ?? [])
    return [...items, ...added]
  }

  describe(): { proposals?: Record<string, unknown>[] } {
    const all = [...this.#changed.values()]
    return all.length === 0
      ? {}
      : { proposals: all.map(proposal => describeProposal(proposal, this.#context)) }
  }

  #keep(proposal: Proposal): void {
    storeProposal(proposal, this.#accountId, this.#context)
    this.#changed.set(proposal.proposal_id, proposal)
  }
}
