import type { StoredReach } from '../../serving/inventory-record.ts'
import { hashAgent, toReachKey } from '../../serving/keys.ts'
import type { Reader } from '../reader.ts'

export type { StoredReach } from '../../serving/inventory-record.ts'

interface Part {
  after?: string | undefined
  limit?: number
}

/**
 * Lists what an agent reaches by grants in force, publisher by publisher after `after`, in order.
 */
export function* listReachesAfter(
  reader: Reader,
  agentUrl: string,
  { after, limit }: Part = {},
): Iterable<StoredReach> {
  const store = reader.serving
  if (store === undefined) return
  const range = store.range('reach', hashAgent(agentUrl), {
    ...(after !== undefined && { after }),
    ...(limit !== undefined && { limit }),
  })
  for (const { value } of range) yield JSON.parse(value.toString())
}

/** Finds what an agent reaches of one publisher. */
export function findReach(
  { serving }: Reader,
  agentUrl: string,
  publisher: string,
): StoredReach | undefined {
  const value = serving?.text('reach', toReachKey(agentUrl, publisher))
  return value === undefined ? undefined : JSON.parse(value)
}

/** Lists only the publishers' names, which costs no more than reading the keys. */
export function listPublishersAfter(
  reader: Reader,
  agentUrl: string,
  { after, limit }: Part & { limit: number },
): string[] {
  const store = reader.serving
  if (store === undefined) return []
  const range = store.range('reach', hashAgent(agentUrl), {
    ...(after !== undefined && { after }),
    limit,
  })
  return [...range].map(({ key }) => key.slice(key.indexOf(' ') + 1))
}
