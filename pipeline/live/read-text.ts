import type { Domain } from '../core/domain.ts'
import type { LiveRequestAnswers } from '../model/live/live-request.ts'
import { Faults } from '../parse/faults.ts'
import { decodeText } from '../parse/read-json.ts'
import { type LiveDeps, LiveFiles } from './files.ts'

/** Longest text of an answer, in bytes. */
const TEXT_BYTES_MAX = 256 * 1024

/** Reads the text of the file that a domain serves now, whatever it contains. */
export async function readText(
  kind: 'adagents.json' | 'brand.json',
  domain: Domain,
  deps: LiveDeps,
): Promise<LiveRequestAnswers['read_text']> {
  const files = new LiveFiles(deps, deps.limits.validateMs)
  const { outcome, body } = await files.fetch({ kind, location: domain })
  if (body === undefined || body.byteLength > TEXT_BYTES_MAX) return { outcome }
  return { outcome, text: decodeText(body, new Faults(1)) }
}
