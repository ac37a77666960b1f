import { eventTypeNames } from '../../pipeline/model/event.ts'
import { quote } from '../../pipeline/parse/faults.ts'
import { proposeNearest } from '../../pipeline/parse/suggestions.ts'
import { isTypeFilter, matchTypes } from '../../pipeline/read/lookups/feed-types.ts'

/** Describes why a filter matches no type of events, and which type was probably meant; undefined if it matches some. */
export function describeUnknownType(filter: string): string | undefined {
  if (isTypeFilter(filter) && matchTypes([filter]).length > 0) return undefined
  const meant = proposeNearest(filter, eventTypeNames)
  return (
    `${quote(filter)} does not match any event type` +
    `${meant === '' ? '. Event types:' : `${meant} Event types:`} ${eventTypeNames.join(', ')}`
  )
}
