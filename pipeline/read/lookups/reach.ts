import { type GrantScope, pickGrantScope } from '../../model/grant-scope.ts'
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

/** Finds what the grants in force of one publisher to an agent are of; undefined if there are none. */
export function findGrantScope(
  reader: Reader,
  agentUrl: string,
  publisher: string,
): GrantScope | undefined {
  const reach = findReach(reader, agentUrl, publisher)
  return reach && pickGrantScope(reach)
}

/**
 * Finds where the publishers of an agent after `last` stand: how many are before them, and the one after which a page
 * of `size` of those begins; undefined if that is the first page.
 */
export function findReachPlace(
  { serving }: Reader,
  agentUrl: string,
  last: string,
  size: number,
): { before: number; previous: string | undefined } {
  if (serving === undefined) return { before: 0, previous: undefined }
  const [prefix, below] = [hashAgent(agentUrl), toReachKey(agentUrl, last)]
  const before = serving.countRange('reach', prefix, below) + 1
  let left = size
  for (const { key } of serving.descend('reach', prefix, below))
    if (--left === 0) return { before, previous: toPublisher(key) }
  return { before, previous: undefined }
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
  return [...range].map(({ key }) => toPublisher(key))
}

const toPublisher = (key: string) => key.slice(key.indexOf(' ') + 1)
