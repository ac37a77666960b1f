import type { Limits } from '../core/limits.ts'
import { type AgentCapabilities, channels } from '../model/documents/index.ts'
import { clip } from '../parse/clip.ts'
import { isObject, type JsonObject, ObjectReader } from '../parse/object-reader.ts'
import { readBlock, readTokens } from './agent-blocks.ts'
import { listPublishers } from './agent-claims.ts'
import { readSupportedFormats } from './agent-formats.ts'
import { readMeasurement } from './agent-measurement.ts'

const COUNTRY = /^[A-Z]{2}$/
const knownChannels: ReadonlySet<string> = new Set(channels)

/** Reads the answer of the capabilities task, as far as it is valid. */
export function readCapabilities(part: ObjectReader, limits: Limits): AgentCapabilities {
  const root = part.value
  const portfolio = readBlock(readBlock(root, 'media_buy'), 'portfolio')
  const execution = readBlock(readBlock(root, 'media_buy'), 'execution')
  const creative = new ObjectReader(readBlock(root, 'creative'), 'creative', part.faults)
  const measurement = readMeasurement(part)
  const formats = readSupportedFormats(creative, limits)
  const description = clip(portfolio.description, 2_000)
  const publishers = listPublishers(portfolio.publisher_domains, limits)
  return {
    supported_protocols: readTokens(root.supported_protocols, 20),
    supported_channels: readChannels(root, portfolio),
    markets: readTokens(portfolio.primary_countries).filter(country => COUNTRY.test(country)),
    has_tmp: isObject(execution.trusted_match),
    ...(description !== undefined && { description }),
    ...(formats !== undefined && { supported_formats: formats }),
    ...(isObject(root.signals) && { audience_types: readTokens(root.signals.audience_types) }),
    ...(publishers.length > 0 && { publisher_domains: publishers }),
    ...(measurement !== undefined && { measurement }),
  }
}

/** Reads the channels that the agent lists, else those of its portfolio. */
function readChannels(root: JsonObject, portfolio: JsonObject): string[] {
  const own = readTokens(root.supported_channels)
  const named = own.length > 0 ? own : readTokens(portfolio.primary_channels)
  return named.filter(channel => knownChannels.has(channel))
}
