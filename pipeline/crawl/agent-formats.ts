import { toAgentUrlKey } from '../core/agent-url.ts'
import type { Limits } from '../core/limits.ts'
import type { AsWritten } from '../model/documents/index.ts'
import { clip } from '../parse/clip.ts'
import { isObject, type JsonObject, type ObjectReader } from '../parse/object-reader.ts'
import { hasList, measureBytes, sanitizeBlock } from './agent-blocks.ts'

/**
 * Reads the formats that an agent lists. A `format_id` must be an address and an id; a bare text is
 * invalid, since it names no owner. Undefined when there is no list, or one that is too large to keep.
 */
export function readFormats(part: ObjectReader, limits: Limits): AsWritten[] | undefined {
  if (!hasList(part, 'formats')) return undefined
  const formats = part.parts('formats').slice(0, limits.agentFormats + 1)
  const read = new Map<string, AsWritten>()
  for (const item of formats) {
    const id = readFormatId(item.value.format_id)
    if (id === undefined)
      item.error('format_id', 'wrong_type', 'must be an object of agent_url and id')
    else read.set(`${id.agent_url} ${id.id}`, { ...sanitizeBlock(item.value), format_id: id })
  }
  const sorted = [...read].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, format]) => format)
  return boundList(sorted, part, 'formats', limits)
}

/**
 * Reads the formats that the capabilities of an agent list, with what it does with each. Agents of an older
 * version list the formats alone.
 */
export function readSupportedFormats(part: ObjectReader, limits: Limits): AsWritten[] | undefined {
  if (!part.has('supported_formats')) return undefined
  const read = part
    .parts('supported_formats')
    .slice(0, limits.agentFormats + 1)
    .filter(({ value }) => isObject(value.format) || readFormatId(value.format_id) !== undefined)
  return boundList(
    read.map(({ value }) => sanitizeBlock(value)),
    part,
    'supported_formats',
    limits,
  )
}

function readFormatId(value: unknown): JsonObject | undefined {
  if (!isObject(value)) return undefined
  const id = clip(value.id, 255)
  if (id === undefined || toAgentUrlKey(value.agent_url) === undefined) return undefined
  return { ...sanitizeBlock(value), agent_url: (value.agent_url as string).trim(), id }
}

/** Cuts a list to the number that is stored; undefined if it is still too large. Both are reported. */
function boundList(
  list: AsWritten[],
  part: ObjectReader,
  key: string,
  { agentFormats, agentBlockBytes }: Limits,
): AsWritten[] | undefined {
  const read = list.slice(0, agentFormats)
  if (list.length > read.length)
    part.error(key, 'too_long', `lists more than ${agentFormats}: the rest is left out`)
  if (measureBytes(read) < agentBlockBytes) return read
  part.error(key, 'too_long', `is larger than ${agentBlockBytes} bytes and was left out`)
  return undefined
}
