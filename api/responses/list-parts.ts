import { buildListPartEnd } from '../../pipeline/core/page-end.ts'
import { getAt } from '../../pipeline/core/present.ts'

export { buildListPartEnd }

/** Maximum bytes of one list in an answer with several; clients refuse answers of more than 256 KiB. */
export const LIST_PART_BYTES = 100 * 1024

/** A list whose items are built only when they are shown. */
export interface LongList<Item> {
  total: number
  build(index: number): Item
}

export function toLongList<Item>(items: readonly Item[]): LongList<Item> {
  return { total: items.length, build: index => getAt(items, index) }
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
      return getAt(lists, place).build(index - (ends[place - 1] ?? 0))
    },
  }
}

/**
 * Takes the part of a list that begins at `start`: as many items as fit, and at least one if there are any.
 */
export function takeListPart<Item>({ total, build }: LongList<Item>, start: number): Item[] {
  const shown: Item[] = []
  let bytes = 0
  for (let index = start; index < total; index++) {
    const item = build(index)
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1
    if (bytes > LIST_PART_BYTES && shown.length > 0) break
    shown.push(item)
  }
  return shown
}

/**
 * Builds the members for one list of an answer: the part that begins at its `cursor`, and how to continue.
 */
export function buildListPart<Name extends string, Item>(
  name: Name,
  list: LongList<Item>,
  cursor: string | undefined,
): Record<Name, Item[]> {
  const start = Number(cursor ?? 0)
  const shown = takeListPart(list, start)
  return {
    [name]: shown,
    ...buildListPartEnd(name, start, shown.length, list.total),
  } as Record<Name, Item[]>
}
