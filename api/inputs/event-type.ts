import { eventTypeNames } from '../../pipeline/model/event.ts'
import { quote } from '../../pipeline/parse/faults.ts'
import { proposeNearest } from '../../pipeline/parse/suggestions.ts'
import { isTypeFilter, matchTypes } from '../../pipeline/read/lookups/feed-types.ts'

/** Describes why a filter matches no type of events, and which type was probably meant; undefined if it matches some. */
export function describeUnknownType(filter: string): string | undefined {
  if (isTypeFilter(filter) && matchTypes([filter]).length > 0) return undefined
  const meant = proposeNearest(filter, eventTypeNames)
  return (
    `${quote(filter)} is not an event type or a pattern of any` +
    `${meant === '' ? '; there are' : `${meant} There are`} ${eventTypeNames.join(', ')}`
  )
}
