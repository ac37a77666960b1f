import { authorizationFacts, diffAuthorization } from '../../diff/authorization-events.ts'
import { collectionFacts, diffCollection } from '../../diff/collections.ts'
import { type Change, diff } from '../../diff/diff.ts'
import { diffProperty, diffPublisher, markFirstLoad, propertyFacts } from '../../diff/events.ts'
import { type ChangesToSplit, isFirstInProgress } from '../../diff/portion.ts'
import { listPropertySets } from '../../diff/property-sets.ts'
import type { PublisherRows } from '../../diff/publisher-rows.ts'
import { diffReach, type FacetCount } from '../../diff/reach.ts'
import type { RowStamp } from '../../diff/stamp.ts'
import { listTurnover } from '../../diff/turnover.ts'
import type { EventDraft } from '../../model/event.ts'
import type { PropertySetRow, PublisherRow } from '../../model/rows.ts'
import { type Gone, listGoneKeys, nothingGone } from '../../serving/gone-keys.ts'

export interface RowChanges extends ChangesToSplit {
  publisher: Change<PublisherRow>[]
  sets: Change<PropertySetRow>[]
}

/** Consequences of the changes. */
interface Consequences {
  isChanged: boolean
  /** Changes to the reach of agents. */
  reached: FacetCount[]
  /** Agents that the publisher no longer names. */
  left: string[]
  /** Removed keys of the serving store. */
  gone: Gone
  events: EventDraft[]
}

/** Columns of a property by which rows differ. */
export const statusAndFacts = [...propertyFacts, 'status', 'stale_reason', 'channels'] as const
const storedGrant = [...authorizationFacts, 'in_force', 'entry', 'property_set'] as const
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
  'catalog',
  'listed_agents',
  'reach_format',
] as const satisfies (keyof PublisherRow)[]

/** Compares the properties, grants and collections of a publisher. */
export function diffRows(old: PublisherRows, fresh: PublisherRows): ChangesToSplit {
  return {
    properties: diff(old.properties, fresh.properties, row => row.property_rid, statusAndFacts),
    authorizations: diff(old.authorizations, fresh.authorizations, row => row.id, storedGrant),
    collections: diff(
      old.collections,
      fresh.collections,
      row => row.collection_rid,
      collectionFacts,
    ),
  }
}

/**
 * Computes the difference between the old and the new rows of one publisher. `owned` are the changes of its
 * properties, grants and collections, if the caller has computed them.
 */
export function diffPublisherRows(
  old: PublisherRows,
  fresh: PublisherRows,
  stamp: RowStamp,
  owned: ChangesToSplit = diffRows(old, fresh),
): RowChanges & Consequences {
  const was = old.publisher ? [old.publisher] : []
  const is = fresh.publisher ? [fresh.publisher] : []
  const changes: RowChanges = {
    publisher: diff(was, is, row => row.domain, storedPublisher),
    sets: diff(
      listPropertySets(old.authorizations),
      listPropertySets(fresh.authorizations),
      row => row.set_id,
      [],
    ),
    ...owned,
  }
  const count = changes.properties.length + changes.authorizations.length
  const isChanged = count + changes.publisher.length + changes.collections.length > 0
  const reached = isChanged ? diffReach(...selectChangedAgents(old, fresh, changes)) : []
  const turnover = listTurnover(reached, changes.properties)
  const events = [
    ...is.flatMap(row => diffPublisher(old.publisher, row, turnover)),
    ...changes.properties.flatMap(diffProperty),
    ...changes.authorizations.flatMap(change => diffAuthorization(change, stamp)),
    ...changes.collections.flatMap(diffCollection),
  ]
  return {
    ...changes,
    isChanged,
    reached,
    left: turnover.agents_removed,
    gone: isOnlyAdditions(old, changes) ? nothingGone : listGoneKeys(old, fresh),
    events:
      old.publisher === undefined || isFirstInProgress(old.publisher)
        ? markFirstLoad(events)
        : events,
  }
}

/** Tells whether rows are only added to a publisher, and no existing row refers to a new one. */
function isOnlyAdditions(old: PublisherRows, { properties, authorizations }: RowChanges): boolean {
  const isAddition = ({ kind }: Change<object>) => kind === 'added'
  const isFirst = properties.length === 0 || old.authorizations.length === 0
  return isFirst && properties.every(isAddition) && authorizations.every(isAddition)
}

/** Selects the grants of agents whose reach may have changed; all of them, unless only grants changed. */
function selectChangedAgents(
  old: PublisherRows,
  fresh: PublisherRows,
  { properties, collections, authorizations }: RowChanges,
): [before: PublisherRows, after: PublisherRows] {
  const was = old.publisher
  const is = fresh.publisher
  const isSame = was?.catalog === is?.catalog && was?.reach_format === is?.reach_format
  if (!isSame || properties.length + collections.length > 0) return [old, fresh]
  const agents = new Set(
    authorizations.flatMap(change => [
      ...(change.kind === 'added' ? [] : [change.old.agent_url]),
      ...(change.kind === 'removed' ? [] : [change.row.agent_url]),
    ]),
  )
  const select = (rows: PublisherRows) => ({
    ...rows,
    authorizations: rows.authorizations.filter(({ agent_url }) => agents.has(agent_url)),
  })
  return [select(old), select(fresh)]
}

/** Lists the managers before and after a change, if the publisher's manager or its validity changed. */
export function listChangedManagers({ publisher }: RowChanges): string[] {
  return publisher.flatMap(change => {
    const was = change.kind === 'added' ? undefined : change.old
    const is = change.kind === 'removed' ? undefined : change.row
    const isSame = was?.manager_domain === is?.manager_domain && was?.valid === is?.valid
    return isSame ? [] : [was?.manager_domain ?? [], is?.manager_domain ?? []].flat()
  })
}
