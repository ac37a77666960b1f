import type { Domain } from '../../pipeline/core/domain.ts'
import type { AdagentsDocument, AgentEntry } from '../../pipeline/model/documents/index.ts'
import type { CheckedProposal } from '../../pipeline/parse/check-file.ts'
import type { KnownFile } from '../../pipeline/resolve/derivation.ts'
import { derivePublisher } from '../../pipeline/resolve/publisher.ts'

/** An agent that a proposed file authorizes. */
export interface ProposedSeller {
  url: string
  authorized_for?: string
  /** Number of properties that its entries reach. */
  properties_authorized: number
  /** False where no entry of it is in effect now. */
  in_force: boolean
}

/** Agents that can sell once a proposed file is served; undefined where another file decides. */
export interface ProposedSellers {
  agents: ProposedSeller[]
  properties_total: number
}

/** Derives who can sell what once `domain` serves a file, by the rules of the index. */
export function deriveProposedSellers(
  document: CheckedProposal['document'],
  domain: Domain,
  now: number,
): ProposedSellers | undefined {
  if (document === undefined || !('agents' in document) || document.variant !== 'inline') {
    return undefined
  }
  const facts = runOverFile(document as AdagentsDocument, domain, now)
  if (typeof facts !== 'object' || facts.document === undefined) return undefined
  const sellers = new Map<string, ProposedSeller & { reached: Set<number> }>()
  for (const { entry, reaches, in_force } of facts.grants) {
    const { agent_url: url, authorized_for } = entry
    const seller = sellers.get(url) ?? {
      url,
      ...(authorized_for !== undefined && { authorized_for }),
      properties_authorized: 0,
      in_force: false,
      reached: new Set<number>(),
    }
    sellers.set(url, seller)
    if (hasEmptyRestriction(entry)) continue
    for (const position of reaches) seller.reached.add(position)
    seller.in_force ||= in_force
  }
  return {
    agents: [...sellers.values()].map(({ reached, ...seller }) => ({
      ...seller,
      properties_authorized: reached.size,
    })),
    properties_total: facts.properties.length,
  }
}

/** Tells whether a restriction of an entry is an empty list, as one that cannot be read is. */
function hasEmptyRestriction({
  countries,
  placement_ids,
  placement_tags,
  collections,
}: AgentEntry) {
  return [countries, placement_ids, placement_tags, collections].some(list => list?.length === 0)
}

/** Runs the rule with one file: the proposed one, as if its domain served it. */
function runOverFile(document: AdagentsDocument, domain: Domain, now: number) {
  const rule = derivePublisher(domain, now)
  let step = rule.next()
  while (!step.done) {
    const question = step.value
    const isOwn =
      'source' in question &&
      question.source.kind === 'adagents.json' &&
      question.source.location === domain
    const file: KnownFile = isOwn ? { validity: 'valid', document } : { validity: 'unknown' }
    step = rule.next(file)
  }
  return step.value
}
