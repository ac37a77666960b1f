import { z } from 'zod'
import { toLooseAgentUrlKey } from '../../../pipeline/core/agent-url.ts'
import type { Format } from '../catalogue/formats.ts'
import type { TaskContext } from '../task-context.ts'

/** Names a format: the agent that defines it, and its id there. */
export const FormatId = z
  .looseObject({
    agent_url: z.url().describe('The creative agent that defines the format'),
    id: z.string().regex(/^[A-Za-z0-9_-]+$/, 'must be letters, digits, _ and -'),
  })
  .describe('An object with agent_url and id; an id alone is not enough')
export type FormatId = z.infer<typeof FormatId>

/** Addresses with which the protocol's own tests name the agent under test: here it is this one. */
const PLACEHOLDER = /^https:\/\/your-(?:agent|platform|ad-server)\.example\.com\/?$/

/** Builds the id of one of our formats. The creative tenant defines all of them. */
export function toFormatId(id: string, { toAddress }: TaskContext): FormatId {
  return { agent_url: toAddress('creative'), id }
}

export function isSameFormat(given: FormatId, { id }: Format, context: TaskContext): boolean {
  return isCatalogueFormat(given, id, context)
}

/** Tells whether a format id names our format with this id. */
export function isCatalogueFormat(given: FormatId, id: string, context: TaskContext): boolean {
  const own = toFormatId(id, context)
  return (
    given.id === own.id &&
    (toLooseAgentUrlKey(given.agent_url) === toLooseAgentUrlKey(own.agent_url) ||
      PLACEHOLDER.test(given.agent_url))
  )
}
