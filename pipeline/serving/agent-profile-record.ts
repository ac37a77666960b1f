import type { AgentProtocol, AgentTypeOrUnknown } from '../model/documents/index.ts'

/** Profile of an agent, from itself and from who declares it, as far as its page shows it. */
export interface AgentProfile {
  /** Name by which it calls itself. */
  name: string | null
  type: AgentTypeOrUnknown
  protocols: AgentProtocol[]
  tools_count: number
  needs_auth: boolean
  description: string | null
  /** Its first tools, with the beginnings of their texts. */
  tools: AgentTool[]
}

export interface AgentTool {
  name: string
  description: string | null
}

const TOOLS_STORED_MAX = 60
const NAME_CHARS = 160
const DESCRIPTION_CHARS = 400

/** Cuts an agent's tools to what a page shows: an agent may list thousands, each with a long text. */
export function cutTools(tools: readonly AgentTool[]): AgentTool[] {
  return tools.slice(0, TOOLS_STORED_MAX).map(({ name, description }) => ({
    name: name.slice(0, NAME_CHARS),
    description: description?.slice(0, DESCRIPTION_CHARS) ?? null,
  }))
}
