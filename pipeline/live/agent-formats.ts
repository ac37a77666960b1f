import { blockOf } from '../crawl/agent-blocks.ts'
import { readFormats, readSupportedFormats } from '../crawl/agent-formats.ts'
import type { Asking } from '../crawl/agent-tasks.ts'
import { type JsonObject, Part } from '../crawl/part.ts'
import type { AgentTool } from '../model/documents.ts'
import { type Listed, listOf, notOffered, payloadOf } from './agent-task.ts'

/**
 * What an agent can do with which format: by its capabilities, else each format it lists as one it
 * can preview.
 */
export async function listFormats(tools: readonly AgentTool[], asking: Asking): Promise<Listed> {
  const { protocolName } = asking.deps
  // What is too large to be kept may be handed on.
  const limits = { ...asking.deps.limits, agentBlockBytes: 2 * asking.deps.limits.agentAnswerBytes }
  const told = await payloadOf(tools, `get_${protocolName}_capabilities`, {}, asking)
  if (told !== undefined && 'payload' in told) {
    const creative = new Part(blockOf(told.payload, 'creative'), 'creative', asking.faults)
    const supported = readSupportedFormats(creative, limits) ?? []
    if (supported.length > 0) return listOf(supported)
  }
  const older = await payloadOf(tools, 'list_creative_formats', {}, asking)
  if (older === undefined) {
    return told !== undefined && 'trouble' in told
      ? told
      : { ...notOffered, offered: told !== undefined }
  }
  if ('trouble' in older) return older
  const formats = readFormats(new Part(older.payload, '', asking.faults), limits) ?? []
  return listOf(formats.map(previewOf))
}

function previewOf(format: JsonObject): JsonObject {
  const { id } = format.format_id as { id: string }
  return { capability_id: `preview_${id}`, format, operations: ['preview'] }
}
