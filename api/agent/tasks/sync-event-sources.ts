import { z } from 'zod'
import { AccountRef, CallersId, resolveAccount, saveAccount } from '../accounts.ts'
import { type EventType, eventTypes } from '../measurement/event-types.ts'
import { removeOthers, type SyncAction, syncRecord } from '../state/sync.ts'
import { defineTask } from '../task.ts'

declare module '../state/store.ts' {
  interface Records {
    event_source: EventSource
    /** Scopes in which an event source was last declared, by its id. */
    event_source_owner: string
  }
}

const EventSourceInput = z.looseObject({
  event_source_id: CallersId,
  name: z.string().max(500).optional(),
  event_types: z.array(z.enum(eventTypes)).min(1).optional().describe('Left out: all types'),
  allowed_domains: z.array(z.string().max(253)).min(1).max(100).optional(),
})

const Input = z.object({
  account: AccountRef,
  event_sources: z
    .array(EventSourceInput)
    .min(1)
    .max(100)
    .optional()
    .describe('Left out: all are listed'),
  delete_missing: z.boolean().optional().describe('Delete the sources that are not named'),
})

/** A source of events. */
export interface EventSource {
  event_source_id: string
  name?: string
  event_types: EventType[]
  allowed_domains?: string[]
}

export const syncEventSources = defineTask({
  name: 'sync_event_sources',
  title: 'Sync event sources',
  description: 'Declares the sources of conversion events that are logged later',
  input: Input,
  mutates: true,
  run({ account: ref, event_sources, delete_missing }, context) {
    const account = resolveAccount(ref, context)
    saveAccount(account, context)
    const place = {
      kind: 'event_source',
      scope: `${context.tenant} ${account.account_id}`,
    } as const
    const known = context.state.list('event_source', place.scope)
    if (!event_sources) {
      return { event_sources: known.map(source => describe(source, 'unchanged')), sandbox: true }
    }
    const results = event_sources.map(requested => {
      const source = buildSource(requested)
      const id = source.event_source_id
      context.state.put('event_source_owner', context.tenant, id, place.scope, context)
      return describe(source, syncRecord({ ...place, id }, source, context))
    })
    const wantedIds = new Set(event_sources.map(source => source.event_source_id))
    const all = known.map(source => source.event_source_id)
    const removed = delete_missing ? removeOthers(place, wantedIds, all, context) : []
    const deleted = removed.map(event_source_id => ({ event_source_id, action: 'deleted' }))
    return { event_sources: [...results, ...deleted], sandbox: true }
  },
})

function buildSource(requested: z.infer<typeof EventSourceInput>): EventSource {
  const { event_source_id, name, event_types = [...eventTypes], allowed_domains } = requested
  return {
    event_source_id,
    ...(name !== undefined && { name }),
    event_types,
    ...(allowed_domains && { allowed_domains }),
  }
}

function describe(source: EventSource, action: SyncAction): Record<string, unknown> {
  const { event_source_id } = source
  const example = { event_source_id, events: [{ event_id: '…', event_type: '…', event_time: '…' }] }
  return {
    ...source,
    seller_id: event_source_id,
    managed_by: 'buyer',
    setup: {
      snippet_type: 'server_only',
      snippet: JSON.stringify(example),
      instructions: 'Send events by log_event: there is no pixel',
    },
    action,
  }
}
