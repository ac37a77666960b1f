import { agentDocumentOf } from '../model/agent-tasks.ts'
import type { AgentDocument, AgentParts } from '../model/documents.ts'

/**
 * The document of a probe after the one before it: a part that could not be read this time stays as
 * it was, and a type that is known stays what it is; one that was unknown becomes known.
 */
export function carryAgent(old: AgentDocument, fresh: AgentDocument): AgentDocument {
  const {
    variant: _,
    protocols,
    name,
    description,
    type,
    inferred_type,
    operations,
    ...parts
  } = fresh
  const before = fresh.unread.flatMap(part => (old[part] === undefined ? [] : [[part, old[part]]]))
  const kept = agentDocumentOf({ ...parts, ...Object.fromEntries(before) } as AgentParts)
  return old.type === 'unknown' ? kept : { ...kept, type: old.type }
}
