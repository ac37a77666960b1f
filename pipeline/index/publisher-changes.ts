import { authorizationEvents, authorizationFacts } from '../diff/authorization-events.ts'
import { collectionEvents, collectionFacts } from '../diff/collections.ts'
import { type Change, diff } from '../diff/diff.ts'
import { propertyEvents, propertyFacts, publisherEvents } from '../diff/events.ts'
import { asFirstLoad } from '../diff/first-load.ts'
import { type FacetCount, reachDelta } from '../diff/reach.ts'
import type { PublisherRows, Stamp } from '../diff/rows.ts'
import type { EventDraft } from '../model/event.ts'
import type { AuthorizationRow, CollectionRow, PropertyRow, PublisherRow } from '../model/rows.ts'
import { type Gone, goneOf, nothingGone } from './changes.ts'

export interface RowChanges {
  publisher: Change<PublisherRow>[]
  properties: Change<PropertyRow>[]
  authorizations: Change<AuthorizationRow>[]
  collections: Change<CollectionRow>[]
}

/** What those changes mean. */
interface Consequences {
  isChanged: boolean
  /** What they add to what agents reach. */
  reached: FacetCount[]
  /** Keys of the serving store that went away. */
  gone: Gone
  events: EventDraft[]
}

const statusAndFacts = [...propertyFacts, 'status', 'stale_reason', 'channels'] as const
const storedGrant = [...authorizationFacts, 'in_force', 'entry', 'property_rids'] as const
const storedPublisher = [
  'valid',
  'discovery_method',
  'manager_domain',
  'resolved_location',
  'agent_count',
  'property_count',
  'collection_count',
  'placement_count',
  'format_count',
  'signal_count',
  'fields',
  'listed_agents',
] as const satisfies (keyof PublisherRow)[]

/** What differs between the old and the new rows of one publisher. */
export function changesOf(
  old: PublisherRows,
  fresh: PublisherRows,
  stamp: Stamp,
): RowChanges & Consequences {
  const was = old.publisher ? [old.publisher] : []
  const is = fresh.publisher ? [fresh.publisher] : []
  const changes: RowChanges = {
    publisher: diff(was, is, row => row.domain, storedPublisher),
    properties: diff(old.properties, fresh.properties, row => row.property_rid, statusAndFacts),
    authorizations: diff(old.authorizations, fresh.authorizations, row => row.id, storedGrant),
    collections: diff(
      old.collections,
      fresh.collections,
      row => row.collection_rid,
      collectionFacts,
    ),
  }
  const events = [
    ...is.flatMap(row => publisherEvents(old.publisher, row)),
    ...changes.properties.flatMap(propertyEvents),
    ...changes.authorizations.flatMap(change => authorizationEvents(change, stamp)),
    ...changes.collections.flatMap(collectionEvents),
  ]
  const reach = changes.properties.length + changes.authorizations.length
  const isChanged = reach + changes.publisher.length + changes.collections.length > 0
  return {
    ...changes,
    isChanged,
    reached: isChanged ? reachDelta(old, fresh) : [],
    gone: reach === 0 ? nothingGone : goneOf(old, fresh),
    events: old.publisher === undefined ? asFirstLoad(events) : events,
  }
}

/** The managers before and after, if another one speaks for the publisher or it came to be valid or not. */
export function managersOf({ publisher }: RowChanges): string[] {
  return publisher.flatMap(change => {
    const was = change.kind === 'added' ? undefined : change.old
    const is = change.kind === 'removed' ? undefined : change.row
    const isSame = was?.manager_domain === is?.manager_domain && was?.valid === is?.valid
    return isSame ? [] : [was?.manager_domain ?? [], is?.manager_domain ?? []].flat()
  })
}
