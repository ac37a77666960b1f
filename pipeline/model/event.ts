import { z } from 'zod'
import { Identifier } from './documents.ts'

const text = z.string()
const texts = z.array(text)
const moment = z.iso.datetime()

/** Facts of a property that every property event carries, so that a replica can place it. */
const PropertyFacts = z.looseObject({
  property_rid: z.uuid(),
  publisher_domain: text,
})

const PropertyCreated = PropertyFacts.extend({
  classification: text,
  source: text,
  identifiers: z.array(Identifier),
  property: z.looseObject({}),
})

const PropertyUpdated = PropertyCreated.extend({ changed_fields: texts.min(1) })
const Merged = z.looseObject({
  alias_rid: z.uuid(),
  canonical_rid: z.uuid(),
  evidence: text.optional(),
})

const CollectionFacts = z.looseObject({
  collection_rid: z.uuid(),
  publisher_domain: text,
  collection_id: text.optional(),
  name: text.optional(),
  kind: text.optional(),
  source: text,
  status: z.enum(['active', 'removed']),
  identifiers: z.array(z.object({ publisher_domain: text, ...Identifier.shape })),
  collection: z.looseObject({}),
})

const AgentFacts = z.looseObject({ agent_url: text })

/** What an agent reaches, in the shape that replicas keep. Every key is always there. */
export const InventoryProfile = z.object({
  channels: texts,
  property_types: texts,
  markets: texts,
  categories: texts,
  tags: texts,
  delivery_types: texts,
  property_count: z.int(),
  publisher_count: z.int(),
  has_tmp: z.boolean(),
  category_taxonomy: text.nullable(),
})
export type InventoryProfile = z.infer<typeof InventoryProfile>

const AgentProfile = AgentFacts.extend({
  name: text,
  type: text,
  inventory_profile: InventoryProfile,
})

const PublisherFacts = z.looseObject({
  publisher_domain: text,
  agent_count: z.int(),
  property_count: z.int(),
  collection_count: z.int(),
  format_count: z.int(),
  placement_count: z.int(),
  changed_fields: texts,
  source: text,
  discovery_method: text,
  manager_domain: text.optional(),
})

/** A replica drops a grant with a null in it: a key that says nothing is left out. */
const Authorization = z.looseObject({
  id: z.uuid(),
  agent_url: text.min(1),
  agent_url_canonical: text.min(1),
  publisher_domain: text.min(1),
  authorization_type: text.min(1),
  authorized_for: text.optional(),
  property_ids: texts.optional(),
  property_tags: texts.optional(),
  placement_ids: texts.optional(),
  placement_tags: texts.optional(),
  countries: texts.optional(),
  effective_from: moment.optional(),
  effective_until: moment.optional(),
})

interface EventEntry {
  entity: 'property' | 'collection' | 'agent' | 'publisher' | 'authorization'
  payload: z.ZodType
  means: string
}

/** The twenty types of the change feed. The order is part of the serving store's layout. */
export const eventTypes = {
  'property.created': {
    entity: 'property',
    payload: PropertyCreated,
    means: 'a property was added',
  },
  'property.updated': { entity: 'property', payload: PropertyUpdated, means: 'its facts changed' },
  'property.merged': {
    entity: 'property',
    payload: PropertyCreated.extend(Merged.shape),
    means: 'two records became one',
  },
  'property.stale': {
    entity: 'property',
    payload: PropertyFacts.extend({ reason: text }),
    means: 'it failed re-crawl validation',
  },
  'property.reactivated': {
    entity: 'property',
    payload: PropertyFacts.extend({ reactivated_at: moment }),
    means: 'a stale property passed re-crawl validation',
  },
  'collection.created': { entity: 'collection', payload: CollectionFacts, means: 'it was added' },
  'collection.updated': {
    entity: 'collection',
    payload: CollectionFacts.extend({ changed_fields: texts.min(1) }),
    means: 'it changed, or it is back',
  },
  'collection.merged': {
    entity: 'collection',
    payload: CollectionFacts.extend(Merged.shape),
    means: 'two records became one',
  },
  'collection.removed': {
    entity: 'collection',
    payload: CollectionFacts,
    means: 'it is no longer in the publisher’s catalog',
  },
  'agent.discovered': {
    entity: 'agent',
    payload: AgentProfile,
    means: 'a publisher’s file names an agent that none named before',
  },
  'agent.removed': { entity: 'agent', payload: AgentFacts, means: 'no file names it any more' },
  'agent.profile_updated': {
    entity: 'agent',
    payload: AgentProfile.extend({ changed_fields: texts.min(1) }),
    means: 'what it reaches changed',
  },
  'agent.compliance_changed': { entity: 'agent', payload: AgentFacts, means: 'its status changed' },
  'agent.verification_earned': { entity: 'agent', payload: AgentFacts, means: 'it earned a badge' },
  'agent.verification_lost': { entity: 'agent', payload: AgentFacts, means: 'it lost a badge' },
  'publisher.adagents_discovered': {
    entity: 'publisher',
    payload: PublisherFacts,
    means: 'its adagents.json was understood for the first time',
  },
  'publisher.adagents_changed': {
    entity: 'publisher',
    payload: PublisherFacts,
    means: 'its adagents.json changed',
  },
  'authorization.granted': {
    entity: 'authorization',
    payload: Authorization,
    means: 'an agent was authorized',
  },
  'authorization.revoked': {
    entity: 'authorization',
    payload: Authorization,
    means: 'an authorization ended',
  },
  'authorization.modified': {
    entity: 'authorization',
    payload: Authorization,
    means: 'an authorization stands with other terms',
  },
} as const satisfies Record<string, EventEntry>

export type EventType = keyof typeof eventTypes
export const eventTypeNames = Object.keys(eventTypes) as EventType[]

/** A change that is not committed yet: the sequencer gives it its id, actor and time. */
export interface EventDraft {
  event_type: EventType
  entity_id: string
  payload: Record<string, unknown>
  /** Who, where it is not the batch's. */
  actor?: string
}

export const FeedEvent = z
  .object({
    event_id: z.uuid(),
    event_type: z.enum(eventTypeNames as [EventType, ...EventType[]]),
    entity_type: text,
    entity_id: text,
    payload: z.looseObject({}),
    actor: text,
    created_at: moment,
  })
  .meta({ id: 'FeedEvent', description: 'One change of the registry' })
export type FeedEvent = z.infer<typeof FeedEvent>
