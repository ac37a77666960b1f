import { HEAD_LENGTH } from '../../serving/document-value.ts'
import type { Reader } from '../reader.ts'

/** Bytes of a record that contain its source, which comes before all long members. */
const HEAD_BYTES = 600
const DOMAIN_CHARS = 253
const SOURCE = /"source":"(\w+)"/

/** Finds the source of a domain's inventory; undefined if there is none, and for an invalid domain. */
export function getInventorySource(
  { serving }: Reader,
  domain: string,
): 'adagents_json' | 'hosted' | undefined {
  // A longer key than LMDB takes would throw.
  const value = domain.length > DOMAIN_CHARS ? undefined : serving?.peek('property', domain)
  if (value === undefined) return undefined
  const head = Buffer.from(value.buffer, value.byteOffset, Math.min(value.length, HEAD_BYTES))
  const source = SOURCE.exec(head.toString('latin1', HEAD_LENGTH))?.[1]
  return source === 'adagents_json' ? source : 'hosted'
}
