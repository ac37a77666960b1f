import { z } from 'zod'
import {
  AgentProfile,
  AgentRemoved,
  Authorization,
  ChangedFields,
  CollectionFacts,
  ComplianceChanged,
  ComplianceFacts,
  InventoryProfile,
  Merged,
  PropertyCreated,
  PropertyFacts,
  PropertyUpdated,
  PublisherFacts,
  VerificationEarned,
  VerificationLost,
} from './event-payloads.ts'

export { ComplianceFacts, InventoryProfile }

const text = z.string()
const moment = z.iso.datetime()

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
  'property.updated': {
    entity: 'property',
    payload: PropertyUpdated,
    means: 'facts of a property changed',
  },
  'property.merged': {
    entity: 'property',
    payload: PropertyCreated.extend(Merged.shape),
    means: 'two properties were merged into one',
  },
  'property.stale': {
    entity: 'property',
    payload: PropertyFacts.extend({
      reason: text.describe(
        'Why the property is stale: `not_listed`, `revoked`, `validation_failed` or `disputed`',
      ),
      last_resolved_at: moment
        .optional()
        .describe(
          'Time at which the failing file was last read; absent if that file no longer lists the property',
        ),
    }),
    means:
      'the publisher no longer lists a property or was revoked, or its file can no longer be used',
  },
  'property.reactivated': {
    entity: 'property',
    payload: PropertyFacts.extend({
      reactivated_at: moment.describe('Time at which the property became valid again'),
    }),
    means: 'a stale property is listed and valid again',
  },
  'collection.created': {
    entity: 'collection',
    payload: CollectionFacts,
    means: 'a collection was added',
  },
  'collection.updated': {
    entity: 'collection',
    payload: CollectionFacts.extend({ changed_fields: ChangedFields }),
    means: 'a collection changed, or was listed again',
  },
  'collection.merged': {
    entity: 'collection',
    payload: CollectionFacts.extend(Merged.shape),
    means: 'two collections were merged into one',
  },
  'collection.removed': {
    entity: 'collection',
    payload: CollectionFacts,
    means: 'a collection is no longer in the publisher’s catalog',
  },
  'agent.discovered': {
    entity: 'agent',
    payload: AgentProfile,
    means: 'a publisher’s file names an agent that none named before',
  },
  'agent.removed': {
    entity: 'agent',
    payload: AgentRemoved,
    means: 'no file names an agent anymore',
  },
  'agent.profile_updated': {
    entity: 'agent',
    payload: AgentProfile.extend({ changed_fields: ChangedFields }),
    means: 'the publishers, properties or collections that an agent reaches changed',
  },
  'agent.compliance_changed': {
    entity: 'agent',
    payload: ComplianceChanged,
    means: 'test results of an agent changed',
  },
  'agent.verification_earned': {
    entity: 'agent',
    payload: VerificationEarned,
    means: 'an agent earned a badge',
  },
  'agent.verification_lost': {
    entity: 'agent',
    payload: VerificationLost,
    means: 'an agent lost a badge',
  },
  'publisher.adagents_discovered': {
    entity: 'publisher',
    payload: PublisherFacts,
    means: 'the registry read an adagents.json for the first time',
  },
  'publisher.adagents_changed': {
    entity: 'publisher',
    payload: PublisherFacts,
    means: 'a publisher’s adagents.json changed',
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
    payload: Authorization.extend({ changed_fields: ChangedFields.optional() }),
    means: 'an authorization has new terms',
  },
} as const satisfies Record<string, EventEntry>

export type EventType = keyof typeof eventTypes
export const eventTypeNames = Object.keys(eventTypes) as EventType[]

/** A change that is not committed yet: the sequencer gives it its id, actor and time. */
export interface EventDraft {
  event_type: EventType
  entity_id: string
  payload: Record<string, unknown>
  /** Actor, if it differs from the batch's. */
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
  .meta({ id: 'AnyFeedEvent', description: 'A change in the registry' })
export type FeedEvent = z.infer<typeof FeedEvent>

const envelope = {
  event_id: z.uuid().describe('Position of the event in the feed (UUID v7)'),
  entity_type: text.describe('Type of entity that changed, such as `property`'),
  entity_id: text.describe('ID of the entity that changed: a rid, a URL or a domain'),
  actor: text.describe(
    'Cause of the event, such as `pipeline:crawler`; `pipeline:backfill` for the first file of a publisher',
  ),
  created_at: moment.describe('Time at which the event was committed'),
}

/**
 * An event of a type that a later version adds, so that a client which checks answers accepts it. Its payload names
 * no members: then the payload of a known type stays known to TypeScript where the two are united.
 */
const LaterEvent = z
  .object({
    event_type: text
      .refine(type => !Object.hasOwn(eventTypes, type))
      .describe('Type of the event: one that this version does not have')
      .meta({ not: { enum: eventTypeNames } }),
    ...envelope,
    payload: z.looseObject({}).describe('Facts about the entity after the change'),
  })
  .meta({
    id: 'Event_other',
    description: 'An event of a type that was added later: skip it',
  })

/** Schema of an event; its payload follows from its type. */
export const TypedFeedEvent = z
  .union([
    ...eventTypeNames.map(name => {
      const { payload, means } = eventTypes[name]
      return z
        .object({
          event_type: z.literal(name).describe(`Type of the event: always \`${name}\``),
          ...envelope,
          payload: payload.describe('Facts about the entity after the change'),
        })
        .meta({ id: `Event_${name.replace('.', '_')}`, description: `\`${name}\`: ${means}` })
    }),
    LaterEvent,
  ] as unknown as [typeof FeedEvent, ...(typeof FeedEvent)[]])
  .meta({
    id: 'FeedEvent',
    description: 'A change in the registry; its type determines the payload',
  })
