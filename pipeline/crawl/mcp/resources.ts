import type { Limits } from '../../core/limits.ts'
import { isObject } from '../../parse/object-reader.ts'
import { readCursor } from './cursor.ts'
import type { McpSession, TimeBudget } from './session.ts'

const PAGES = 20

/** Counts the resources of an agent, page by page; undefined where not all of them could be listed. */
export async function countResources(
  session: McpSession,
  time: TimeBudget,
  limits: Limits,
): Promise<number | undefined> {
  const uris = new Set<string>()
  let cursor: string | undefined
  for (let page = 0; page < PAGES; page++) {
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
