import { z } from 'zod'
import { DAY, type Instant } from '../../../pipeline/core/clock.ts'
import { getFirst } from '../../../pipeline/core/present.ts'
import { AccountRef, CallersId } from '../accounts.ts'
import { type EventType, eventTypes } from '../measurement/event-types.ts'
import { defineTask } from '../task.ts'
import type { TaskContext } from '../task-context.ts'

declare module '../state/store.ts' {
  interface Records {
    /** Times at which events arrived, by their ids. */
    event: Instant
  }
}

/** Arguments of the task. Events are checked one by one: an invalid one does not lose the others. */
const Input = z.object({
  account: AccountRef.optional(),
  event_source_id: CallersId,
  events: z
    .array(z.looseObject({ event_id: z.string().min(1).max(256) }))
    .min(1)
    .max(10_000)
    .describe('Events, each with event_id, event_type and event_time'),
  test_event_code: z.string().max(200).optional().describe('Only checked, not stored'),
})

const LoggedEvent = z.looseObject({
  event_id: z.string(),
  event_type: z.enum(eventTypes),
  event_time: z.iso.datetime({ offset: true }),
  user_match: z.looseObject({}).optional(),
})

/** Time for which a repeated event is recognized. */
const EVENT_LIFETIME_MS = 7 * DAY

/** Maximum age of an event, and how far its clock may be ahead. */
const AGE_MAX_MS = 90 * DAY
const CLOCK_SKEW_MAX_MS = DAY

interface Failure {
  event_id: string
  code: string
  message: string
}

export const logEvent = defineTask({
  name: 'log_event',
  title: 'Log events',
  description: 'Accepts conversion events; a repeated event counts once',
  input: Input,
  mutates: true,
  run({ event_source_id, events, test_event_code }, context) {
    const { state, tenant, now } = context
    const allowed = findAllowedTypes(event_source_id, context)
    const scope = `${tenant} ${event_source_id}`
    const failures: Failure[] = []
    let repeated = 0
    let matched = 0
    for (const event of events) {
      const failure = checkEvent(event, allowed, now)
      if (failure) failures.push({ event_id: event.event_id, ...failure })
      else if (state.get('event', scope, event.event_id)) repeated++
      else {
        if (event.user_match) matched++
        if (test_event_code === undefined) {
          state.put('event', scope, event.event_id, now, { now, lifetimeMs: EVENT_LIFETIME_MS })
        }
      }
    }
    const processed = events.length - failures.length
    const counted = processed - repeated
    return {
      events_received: events.length,
      events_processed: processed,
      ...(failures.length > 0 && { partial_failures: failures }),
      ...(repeated > 0 && { warnings: [`events that were already known: ${repeated}`] }),
      match_quality: counted > 0 ? Math.round((matched / counted) * 100) / 100 : 0,
      sandbox: true,
    }
  },
})

/** Finds the event types that a source declared; all types if it was never declared. */
function findAllowedTypes(id: string, { state, tenant }: TaskContext): readonly EventType[] {
  const scope = state.get('event_source_owner', tenant, id)
  const source = scope === undefined ? undefined : state.get('event_source', scope, id)
  return source?.event_types ?? eventTypes
}

function checkEvent(
  value: unknown,
  allowed: readonly EventType[],
  now: Instant,
): { code: string; message: string } | undefined {
  const event = LoggedEvent.safeParse(value)
  if (!event.success) {
    const { path, message } = getFirst(event.error.issues)
    return { code: 'INVALID_REQUEST', message: `${path.join('.')}: ${message}` }
  }
  const { event_type, event_time } = event.data
  if (!allowed.includes(event_type)) {
    const message = `event_type: the source does not send ${event_type}`
    return { code: 'INVALID_REQUEST', message }
  }
  const age = now - Date.parse(event_time)
  if (age <= AGE_MAX_MS && age >= -CLOCK_SKEW_MAX_MS) return undefined
  const message = 'event_time: must be within the last 90 days'
  return { code: 'INVALID_REQUEST', message }
}
