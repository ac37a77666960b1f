import { buildStretchEnd } from '../../pipeline/core/page-end.ts'

export { buildStretchEnd }

/** Maximum bytes of one list in an answer with several; clients refuse answers of more than 256 KiB. */
export const STRETCH_BYTES = 100 * 1024

/** A list whose items are built only when they are shown. */
export interface LongList<Item> {
  total: number
  build(index: number): Item
}

export function toLongList<Item>(items: readonly Item[]): LongList<Item> {
  return { total: items.length, build: index => items[index]! }
}

/** Joins lists, in their order. */
export function joinLists<Item>(lists: readonly LongList<Item>[]): LongList<Item> {
  const ends: number[] = []
  let total = 0
  for (const list of lists) {
    total += list.total
    ends.push(total)
  }
  return {
    total,
    build(index) {
      const place = ends.findIndex(end => index < end)
      return lists[place]!.build(index - (ends[place - 1] ?? 0))
    },
  }
}

/** Takes items from `start` on: as many as fit, and at least one if there are any. */
export function takeStretch<Item>({ total, build }: LongList<Item>, start: number): Item[] {
  const shown: Item[] = []
  let bytes = 0
  for (let index = start; index < total; index++) {
    const item = build(index)
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1
    if (bytes > STRETCH_BYTES && shown.length > 0) break
    shown.push(item)
  }
  return shown
}

/** Builds the members of one list in an answer with several, from its `cursor` on. */
export function buildStretch<Name extends string, Item>(
  name: Name,
  list: LongList<Item>,
  cursor: string | undefined,
): Record<Name, Item[]> {
  const start = Number(cursor ?? 0)
  const shown = takeStretch(list, start)
  return {
    [name]: shown,
    ...buildStretchEnd(name, start, shown.length, list.total),
  } as Record<Name, Item[]>
}
