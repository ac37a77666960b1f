import type { Limits } from '../core/limits.ts'
import { type AgentCapabilities, channels } from '../model/documents.ts'
import { blockOf, wordsOf } from './agent-blocks.ts'
import { publishersIn } from './agent-claims.ts'
import { readSupportedFormats } from './agent-formats.ts'
import { readMeasurement } from './agent-measurement.ts'
import { clip } from './clip.ts'
import { isObject, type JsonObject, Part } from './part.ts'

const COUNTRY = /^[A-Z]{2}$/
const knownChannels: ReadonlySet<string> = new Set(channels)

/** What the capabilities task answered, as far as it is sound. */
export function readCapabilities(part: Part, limits: Limits): AgentCapabilities {
  const root = part.value
  const portfolio = blockOf(blockOf(root, 'media_buy'), 'portfolio')
  const execution = blockOf(blockOf(root, 'media_buy'), 'execution')
  const creative = new Part(blockOf(root, 'creative'), 'creative', part.faults)
  const measurement = readMeasurement(part)
  const formats = readSupportedFormats(creative, limits)
  const description = clip(portfolio.description, 2_000)
  const publishers = publishersIn(portfolio.publisher_domains, limits)
  return {
    supported_protocols: wordsOf(root.supported_protocols, 20),
    supported_channels: channelsOf(root, portfolio),
    markets: wordsOf(portfolio.primary_countries).filter(country => COUNTRY.test(country)),
    has_tmp: isObject(execution.trusted_match),
    ...(description !== undefined && { description }),
    ...(formats !== undefined && { supported_formats: formats }),
    ...(isObject(root.signals) && { audience_types: wordsOf(root.signals.audience_types) }),
    ...(publishers.length > 0 && { publisher_domains: publishers }),
    ...(measurement !== undefined && { measurement }),
  }
}

/** Channels as it names them outright, else those of its portfolio. */
function channelsOf(root: JsonObject, portfolio: JsonObject): string[] {
  const own = wordsOf(root.supported_channels)
  const named = own.length > 0 ? own : wordsOf(portfolio.primary_channels)
  return named.filter(channel => knownChannels.has(channel))
}
