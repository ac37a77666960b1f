import type { FeedEvent } from '../../../pipeline/model/event.ts'
import { clipText } from '../html/text.tsx'

/** Finds the agent or the domain that an event is about; an agent is known by its address. */
export function findSubject({ entity_type, entity_id, payload }: FeedEvent): string {
  const agent = readText(payload.agent_url)
  if (entity_type === 'agent') return agent ?? entity_id
  return readText(payload.publisher_domain) ?? readText(payload.domain) ?? entity_id
}

/** Reads a text of a payload; undefined for anything else. */
export function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? clipText(value, 2_048) : undefined
}
