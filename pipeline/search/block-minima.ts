// biome-ignore-all lint/style/noNonNullAssertion: positions are within the levels, and a check in each step would slow searches

import { clip, type Range } from './range.ts'
import { BLOCK, insertSmallest, MINIMA_PER_BLOCK, NONE } from './suffixes-builder.ts'

/** Number of blocks, or groups of them, whose least entry is stored together. */
const GROUP = 16

/** A block, at level 0, or a group of `GROUP ** level` blocks. */
interface Group {
  level: number
  number: number
  minimum: number
}

/** The least entries of each block of suffixes, of each GROUP of these, and so on. */
export class BlockMinima {
  readonly #levels: Uint32Array[]

  constructor(minimum: Uint32Array) {
    this.#levels = [minimum]
    for (let below = minimum; below.length > MINIMA_PER_BLOCK; this.#levels.push(below))
      below = computeMinima(below)
  }

  /** Finds the smallest entry of a block. */
  findMinimum(block: number): number {
    return this.#levels[0]![block * MINIMA_PER_BLOCK]!
  }

  /** Puts the least entries of the blocks from one on, as far as another, among `found`: KEPT of them. */
  collectSmallest(start: number, end: number, smallest: Uint32Array): void {
    let [from, to] = [start, end]
    for (const minima of this.#levels) {
      for (; from < to && from % GROUP > 0; from++) collectGroup(minima, from, smallest)
      for (; from < to && to % GROUP > 0; to--) collectGroup(minima, to - 1, smallest)
      if (from === to) return
      from /= GROUP
      to /= GROUP
    }
  }

  /** Blocks that a range reaches into; of none that comes later the least entry is smaller. */
  *iterateBlocks(range: Range): Generator<Group> {
    const groups = this.#listGroups(range, findTopLevel(range))
    for (let group = takeSmallest(groups); group !== undefined; group = takeSmallest(groups)) {
      if (group.level === 0) yield group
      else groups.push(...this.#listGroups(range, group.level - 1, group.number))
    }
  }

  /** Groups of a level that a range reaches into: all, or those of one group above. */
  #listGroups(range: Range, level: number, above?: number): Group[] {
    const size = BLOCK * GROUP ** level
    const groupRange = { start: Math.floor(range.start / size), end: Math.ceil(range.end / size) }
    const { start, end } = above === undefined ? groupRange : clip(groupRange, above * GROUP, GROUP)
    const minima = this.#levels[level]!
    const groups: Group[] = []
    for (let number = start; number < end; number++) {
      groups.push({ level, number, minimum: minima[number * MINIMA_PER_BLOCK]! })
    }
    return groups
  }
}

function computeMinima(below: Uint32Array): Uint32Array {
  const minima = new Uint32Array(
    MINIMA_PER_BLOCK * Math.ceil(below.length / MINIMA_PER_BLOCK / GROUP),
  ).fill(NONE)
  for (let i = 0; i < below.length; i++) {
    insertSmallest(minima, MINIMA_PER_BLOCK * Math.floor(i / MINIMA_PER_BLOCK / GROUP), below[i]!)
  }
  return minima
}

function collectGroup(minima: Uint32Array, group: number, smallest: Uint32Array): void {
  const last = smallest.length - 1
  for (
    let i = MINIMA_PER_BLOCK * group;
    i < MINIMA_PER_BLOCK * (group + 1) && minima[i]! < smallest[last]!;
    i++
  ) {
    insertSmallest(smallest, 0, minima[i]!)
  }
}

/** Finds the level on which a range spans few groups. */
function findTopLevel({ start, end }: Range): number {
  let level = 0
  for (let size = BLOCK * GROUP; end - start > size; size *= GROUP) level++
  return level
}

function takeSmallest(groups: Group[]): Group | undefined {
  let at = 0
  for (let i = 1; i < groups.length; i++) if (groups[i]!.minimum < groups[at]!.minimum) at = i
  return groups.splice(at, 1)[0]
}
