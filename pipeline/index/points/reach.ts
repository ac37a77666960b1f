import type { StoredReach } from '../inventory-value.ts'
import type { Reader } from '../reader.ts'
import { agentHashOf, reachKey } from '../serving-keys.ts'

export type { StoredReach } from '../inventory-value.ts'

interface Part {
  after?: string | undefined
  limit?: number
}

/** What an agent reaches by grants in force, publisher by publisher after `after`, in their order. */
export function* reachesAfter(
  reader: Reader,
  agentUrl: string,
  { after, limit }: Part = {},
): Iterable<StoredReach> {
  const store = reader.serving
  if (store === undefined) return
  const range = store.range('reach', agentHashOf(agentUrl), {
    ...(after !== undefined && { after }),
    ...(limit !== undefined && { limit }),
  })
  for (const { value } of range) yield JSON.parse(value.toString())
}

/** What an agent reaches of one publisher. */
export function reachOf(
  { serving }: Reader,
  agentUrl: string,
  publisher: string,
): StoredReach | undefined {
  const value = serving?.text('reach', reachKey(agentUrl, publisher))
  return value === undefined ? undefined : JSON.parse(value)
}

/** Only the publishers' names, which cost no more than reading the keys. */
export function publishersAfter(
  reader: Reader,
  agentUrl: string,
  { after, limit }: Part & { limit: number },
): string[] {
  const store = reader.serving
  if (store === undefined) return []
  const range = store.range('reach', agentHashOf(agentUrl), {
    ...(after !== undefined && { after }),
    limit,
  })
  return [...range].map(({ key }) => key.slice(key.indexOf(' ') + 1))
}
