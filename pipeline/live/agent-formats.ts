import { readBlock } from '../crawl/agent-blocks.ts'
import { readFormats, readSupportedFormats } from '../crawl/agent-formats.ts'
import type { TaskContext } from '../crawl/call-agent-tasks.ts'
import type { AgentTool } from '../model/documents/index.ts'
import { type JsonObject, ObjectReader } from '../parse/object-reader.ts'
import { fetchPayload, type Listed, notOffered, toAgentList } from './agent-task.ts'

/**
 * Lists which formats an agent supports and how: by its capabilities, else each format it lists counts
 * as one it can preview.
 */
export async function listFormats(tools: readonly AgentTool[], ctx: TaskContext): Promise<Listed> {
  const { protocolName } = ctx.deps
  // Parts that are too large to store may still be returned.
  const limits = { ...ctx.deps.limits, agentBlockBytes: 2 * ctx.deps.limits.agentAnswerBytes }
  const capabilities = await fetchPayload(tools, `get_${protocolName}_capabilities`, {}, ctx)
  if (capabilities !== undefined && 'payload' in capabilities) {
    const creative = new ObjectReader(
      readBlock(capabilities.payload, 'creative'),
      'creative',
      ctx.faults,
    )
    const supported = readSupportedFormats(creative, limits) ?? []
    if (supported.length > 0) return toAgentList(supported)
  }
  const older = await fetchPayload(tools, 'list_creative_formats', {}, ctx)
  if (older === undefined) {
    return capabilities !== undefined && 'failure' in capabilities
      ? capabilities
      : { ...notOffered, offered: capabilities !== undefined }
  }
  if ('failure' in older) return older
  const formats = readFormats(new ObjectReader(older.payload, '', ctx.faults), limits) ?? []
  return toAgentList(formats.map(toPreview))
}

function toPreview(format: JsonObject): JsonObject {
  const { id } = format.format_id as { id: string }
  return { capability_id: `preview_${id}`, format, operations: ['preview'] }
}
