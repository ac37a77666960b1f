import { effects, outcomeNames } from '../../core/outcomes.ts'
import { verdictStatuses } from '../../model/agent-verdict.ts'
import { lifecycleStages } from '../../model/compliance.ts'
import { crawlScopes, crawlStatuses } from '../../model/crawl-request.ts'
import {
  AgentTypeOrUnknown,
  authorizationTypes,
  collectionKinds,
  delegationTypes,
  kellerTypes,
  relationships,
  selectionTypes,
} from '../../model/documents/index.ts'
import { eventTypeNames, eventTypes } from '../../model/event.ts'
import { discoveryMethods } from '../../model/live/live.ts'
import { sourceKinds } from '../../model/observation.ts'
import { operatorReasons, operatorWords } from '../../model/operator-side.ts'
import { enforcements, policyCategories } from '../../model/policy.ts'
import { brandSources, relationshipTrusts } from '../../model/responses/brands.ts'
import {
  catalogSources,
  classifications,
  collectionStatuses,
  propertyStatuses,
  staleReasons,
} from '../../model/responses/catalog.ts'

/**
 * Closed lists of values that columns are published with, as `-- published as enum NAME` in data/tables says.
 * Each is the list by which the values are validated when they are written.
 */
export const vocabularies = {
  agent_status: verdictStatuses,
  agent_type: AgentTypeOrUnknown.options,
  authorization_type: authorizationTypes,
  brand_source: brandSources,
  catalog_source: catalogSources,
  classification: classifications,
  collection_kind: collectionKinds,
  collection_status: collectionStatuses,
  crawl_scope: crawlScopes,
  crawl_status: crawlStatuses,
  delegation_type: delegationTypes,
  discovery_method: discoveryMethods,
  effect: effects,
  enforcement: enforcements,
  entity_type: [...new Set(eventTypeNames.map(name => eventTypes[name].entity))].sort(),
  event_type: eventTypeNames,
  keller_type: kellerTypes,
  lifecycle_stage: lifecycleStages,
  operator_reason: operatorReasons,
  operator_side: operatorWords,
  outcome: outcomeNames,
  policy_category: policyCategories,
  property_status: propertyStatuses,
  relationship: relationships,
  relationship_trust: relationshipTrusts,
  selection_type: selectionTypes,
  source_kind: sourceKinds,
  stale_reason: staleReasons,
} as const satisfies Record<string, readonly string[]>

/** Builds the SQL that creates a type for each vocabulary, of its name; older ones are replaced. */
export function buildEnumTypes(): string {
  return Object.entries(vocabularies)
    .map(([name, values]: [string, readonly string[]]) => {
      const list = values.map(value => `'${value}'`).join(', ')
      return `drop type if exists main.${name}; create type main.${name} as enum (${list});`
    })
    .join('\n')
}
