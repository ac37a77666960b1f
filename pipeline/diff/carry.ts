import { type Instant, toIso } from '../core/clock.ts'
import { buildAgentDocument } from '../model/agent-tasks.ts'
import type {
  AdagentsDocument,
  AgentDocument,
  AgentParts,
  BrandRef,
  DocumentOf,
} from '../model/documents/index.ts'
import type { Fault } from '../model/observation.ts'
import { carryListed } from './carry-listed.ts'
import { carryPointer } from './carry-pointer.ts'
import { carryRevocations } from './carry-revocations.ts'

/**
 * Carries over into a new document what must be remembered of the stored one, and returns the document to
 * store. Pure: the same documents in the same order give the same memory. `domain` is the publisher at whose
 * well-known place the file lies, if at one.
 */
export function carryOver(
  old: DocumentOf | undefined,
  fresh: DocumentOf,
  observedAt: Instant,
  domain?: string,
): DocumentOf {
  if (fresh.variant === 'inline' || fresh.variant === 'pointer') {
    const before = old as AdagentsDocument | undefined
    const carried = carryRevocations(before, carryListed(before, fresh, domain), observedAt)
    return carried.variant === 'pointer' ? carryPointer(before, carried, observedAt) : carried
  }
  if (old?.variant === 'agent' && fresh.variant === 'agent') return carryAgent(old, fresh)
  if (fresh.variant === 'house_portfolio') return carryPortfolio(old, fresh, observedAt)
  return fresh
}

/** Lists the faults of a document that only show in comparison with earlier ones. */
export function listCarriedFaults(carried: DocumentOf): Fault[] {
  if (carried.variant !== 'agent' || carried.type === carried.inferred_type) return []
  const message =
    carried.inferred_type === 'unknown'
      ? `no longer indicate a type; the known type is ${carried.type}`
      : `indicate the type ${carried.inferred_type}; the known type is ${carried.type}`
  return [{ field: 'tools', code: 'contradictory', message, severity: 'warning' }]
}

/**
 * Carries an agent's earlier document over: a part that could not be read this time keeps its earlier value,
 * and so does the type, unless it was unknown.
 */
function carryAgent(old: AgentDocument, fresh: AgentDocument): AgentDocument {
  const {
    variant: _,
    protocols,
    name,
    description,
    type,
    inferred_type,
    operations,
    format_kinds: __,
    ...parts
  } = fresh
  const before = fresh.unread.flatMap(part => (old[part] === undefined ? [] : [[part, old[part]]]))
  const carried = buildAgentDocument({ ...parts, ...Object.fromEntries(before) } as AgentParts)
  return old.type === 'unknown' ? carried : { ...carried, type: old.type }
}

type Portfolio = Extract<DocumentOf<'brand.json'>, { variant: 'house_portfolio' }>

/** Carries over the start of each reference. One that was absent for a while starts again. */
function carryPortfolio(
  old: DocumentOf | undefined,
  fresh: Portfolio,
  observedAt: Instant,
): Portfolio {
  const refs = old?.variant === 'house_portfolio' ? old.brand_refs : []
  const since = new Map(refs.map(ref => [toKey(ref), ref.first_seen_at]))
  return {
    ...fresh,
    brand_refs: fresh.brand_refs.map(ref => ({
      ...ref,
      first_seen_at: since.get(toKey(ref)) ?? toIso(observedAt),
    })),
  }
}

function toKey({ domain, brand_id }: BrandRef): string {
  return `${domain} ${brand_id}`
}
