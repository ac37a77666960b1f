import type { Limits } from '../../core/limits.ts'
import type { AgentTool } from '../../model/documents/index.ts'
import { clip } from '../../parse/clip.ts'
import { Faults, truncate } from '../../parse/faults.ts'
import { isObject } from '../../parse/object-reader.ts'
import { measureBytes } from '../agent-blocks.ts'
import type { McpFailure } from './failure.ts'
import type { McpSession, TimeBudget } from './session.ts'

export interface ToolList {
  /** Distinct tools by name. */
  tools: AgentTool[]
  faults: Faults
}

const CURSOR_CHARS = 2_048
const NAME_CHARS = 128
const DESCRIPTION_CHARS = 2_000
const PAGES_MAX = 20
const SCHEMA_BYTES = 4_096
const NO_SUCH_METHOD = -32_601
const noList: McpFailure = { outcome: 'unusable', detail: 'answers without a list of tools' }

/**
 * Lists all tools of an agent, page by page. A malformed tool loses only itself. If a page fails or holds no
 * list, the whole result is a failure: half a list would look as if tools had been removed.
 */
export async function listTools(
  session: McpSession,
  time: TimeBudget,
  limits: Limits,
): Promise<ToolList | { failure: McpFailure }> {
  const faults = new Faults(limits.faultsPerDocument)
  const tools = new Map<string, AgentTool>()
  const cursors = new Set<string>()
  let cursor: string | undefined
  for (let page = 0; page < PAGES_MAX; page++) {
    const params = cursor === undefined ? {} : { cursor }
    const reply = await session.call('tools/list', params, time, limits.agentToolsBytes)
    if ('failure' in reply) {
      const { error } = reply.error ?? {}
      if (page === 0 && isObject(error) && error.code === NO_SUCH_METHOD) break
      return { failure: reply.failure }
    }
    const { result } = reply
    if (!Array.isArray(result.tools)) return { failure: noList }
    collectTools(result.tools, tools, faults, limits.agentTools)
    cursor = readCursor(result.nextCursor)
    if (cursor === undefined || cursors.has(cursor) || tools.size >= limits.agentTools) break
    cursors.add(cursor)
  }
  return {
    tools: fitTools([...tools.values()].sort(compareByName), limits.agentBlockBytes),
    faults,
  }
}

/**
 * Fits a list of tools into its maximum size: drops the schemas first, then shortens the descriptions; the
 * names stay.
 */
function fitTools(tools: AgentTool[], maxBytes: number): AgentTool[] {
  if (measureBytes(tools) < maxBytes) return tools
  const bare = tools.map(({ input_schema: _, ...tool }) => tool)
  if (measureBytes(bare) < maxBytes) return bare
  const chars = Math.floor(maxBytes / 4 / Math.max(1, tools.length))
  return bare.map(({ name, description }) => ({
    name,
    ...(description !== undefined && { description: truncate(description, chars) }),
  }))
}

function collectTools(
  list: unknown[],
  tools: Map<string, AgentTool>,
  faults: Faults,
  max: number,
): void {
  for (const [i, item] of list.entries()) {
    const name = isObject(item) ? item.name : undefined
    if (typeof name !== 'string' || name.length > NAME_CHARS || clip(name, NAME_CHARS) !== name) {
      faults.error(
        `tools[${i}].name`,
        'wrong_type',
        `must be a string of at most ${NAME_CHARS} characters`,
      )
    } else if (tools.size >= max) {
      return faults.error(
        'tools',
        'too_long',
        `holds more than ${max} tools: the others are not listed`,
      )
    } else if (!tools.has(name)) {
      tools.set(name, toTool(name, item as Record<string, unknown>))
    }
  }
}

function toTool(name: string, item: Record<string, unknown>): AgentTool {
  const description = clip(item.description, DESCRIPTION_CHARS)
  const schema = item.inputSchema
  const isSmall = isObject(schema) && JSON.stringify(schema).length <= SCHEMA_BYTES
  return {
    name,
    ...(description !== undefined && { description }),
    ...(isSmall && { input_schema: schema }),
  }
}

function compareByName(a: AgentTool, b: AgentTool): number {
  return a.name < b.name ? -1 : 1
}

/** Counts the resources of an agent, page by page; undefined if not all of them could be listed. */
export async function countResources(
  session: McpSession,
  time: TimeBudget,
  limits: Limits,
): Promise<number | undefined> {
  const uris = new Set<string>()
  let cursor: string | undefined
  for (let page = 0; page < PAGES_MAX; page++) {
    const params = cursor === undefined ? {} : { cursor }
    const reply = await session.call('resources/list', params, time, limits.agentToolsBytes)
    if ('failure' in reply || !Array.isArray(reply.result.resources)) return undefined
    for (const resource of reply.result.resources) {
      if (isObject(resource) && typeof resource.uri === 'string') uris.add(resource.uri)
    }
    cursor = readCursor(reply.result.nextCursor)
    if (cursor === undefined) return uris.size
  }
  return undefined
}

/** Reads the cursor of the next page; undefined at the end of the list. */
function readCursor(cursor: unknown): string | undefined {
  return typeof cursor === 'string' && cursor !== '' && cursor.length <= CURSOR_CHARS
    ? cursor
    : undefined
}
