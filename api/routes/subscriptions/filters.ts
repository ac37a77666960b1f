import { z } from 'zod'
import { refuse } from '../../../pipeline/core/errors.ts'
import { EnrolledUrl } from '../../../pipeline/model/accounts/member.ts'
import {
  SUBSCRIPTION_FILTERS_MAX,
  type SubscriptionKind,
} from '../../../pipeline/model/subscription.ts'
import { resolveAgentUrl } from '../../../pipeline/read/lookups/agent-urls.ts'
import type { Reader } from '../../../pipeline/read/reader.ts'
import { describeUnknownType } from '../../inputs/event-type.ts'
import { PastedDomain } from '../../inputs/fields.ts'

const createList = <Item extends z.ZodType>(item: Item, description: string) =>
  z
    .array(item)
    .max(SUBSCRIPTION_FILTERS_MAX)
    .overwrite(list => [...new Set(list)])
    .describe(description)

const EventTypeFilter = z.string().refine(filter => describeUnknownType(filter) === undefined, {
  error: ({ input }) => describeUnknownType(String(input)),
})

/** Filters of a subscription, as its creation and its change take them. */
export const filters = {
  event_types: createList(
    EventTypeFilter,
    'Types of events, with `*` as a wildcard; an empty list means all',
  ),
  domains: createList(
    PastedDomain,
    'Only events that concern one of these domains, or one of `agents`',
  ),
  agents: createList(
    EnrolledUrl,
    'Only events that concern one of these agents, or one of `domains`',
  ),
}

/** Resolves filters by agent, as the feed does: events name an agent by its one URL. */
export function resolveAgents(urls: readonly string[], reader: Reader): string[] {
  return [...new Set(urls.map(url => resolveAgentUrl(reader, url)))]
}

/** Refuses filters for a subscription that posts the audit log. */
export function requireFilterable(
  kind: SubscriptionKind,
  lists: { readonly [List in keyof typeof filters]?: readonly string[] | undefined },
): void {
  if (kind === 'audit' && Object.values(lists).some(list => list?.length))
    refuse('invalid_request', 'kind: the audit log has no `event_types`, `domains` or `agents`')
}
