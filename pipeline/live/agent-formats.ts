import { readBlock } from '../crawl/agent-blocks.ts'
import { readFormats, readSupportedFormats } from '../crawl/agent-formats.ts'
import type { TaskContext } from '../crawl/call-agent-tasks.ts'
import type { AgentTool } from '../model/documents/index.ts'
import { type JsonObject, ObjectReader } from '../parse/object-reader.ts'
import { fetchPayload, type Listed, notOffered, toAgentList } from './agent-task.ts'

/**
 * Lists the formats that an agent supports, with what it does with each: by its capabilities, else by the
 * older task `list_creative_formats`, whose formats count as ones it can preview.
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
  const listed = await fetchPayload(tools, 'list_creative_formats', {}, ctx)
  if (listed === undefined) {
    return capabilities !== undefined && 'failure' in capabilities
      ? capabilities
      : { ...notOffered, offered: capabilities !== undefined }
  }
  if ('failure' in listed) return listed
  const formats = readFormats(new ObjectReader(listed.payload, '', ctx.faults), limits) ?? []
  return toAgentList(formats.map(toPreview))
}

function toPreview(format: JsonObject): JsonObject {
  const { id } = format.format_id as { id: string }
  return { capability_id: `preview_${id}`, format, operations: ['preview'] }
}
