import { clip, type Range } from './range.ts'
import { BLOCK, KEPT, keepLeast, NONE } from './suffixes-builder.ts'

/** Of how many blocks, or groups of them, the least entry is known together. */
const GROUP = 16

/** A block, at level 0, or a group of `GROUP ** level` blocks. */
interface Group {
  level: number
  number: number
  least: number
}

/** The least entries of each block of suffixes, of each GROUP of these, and so on. */
export class BlockMinima {
  readonly #levels: Uint32Array[]

  constructor(least: Uint32Array) {
    this.#levels = [least]
    for (let below = least; below.length > KEPT; this.#levels.push(below)) below = minimaOf(below)
  }

  /** The least entry of a block. */
  leastOf(block: number): number {
    return this.#levels[0]![block * KEPT]!
  }

  /** Puts the least entries of the blocks from one on, as far as another, among `found`: KEPT of them. */
  keepLeastOf(start: number, end: number, found: Uint32Array): void {
    let [from, to] = [start, end]
    for (const minima of this.#levels) {
      for (; from < to && from % GROUP > 0; from++) keepAll(minima, from, found)
      for (; from < to && to % GROUP > 0; to--) keepAll(minima, to - 1, found)
      if (from === to) return
      from /= GROUP
      to /= GROUP
    }
  }

  /** Blocks that a range reaches into; of none that comes later the least entry is smaller. */
  *blocksOf(range: Range): Generator<Group> {
    const groups = this.#groupsOf(range, topLevelOf(range))
    for (let group = takeLeast(groups); group !== undefined; group = takeLeast(groups)) {
      if (group.level === 0) yield group
      else groups.push(...this.#groupsOf(range, group.level - 1, group.number))
    }
  }

  /** Groups of a level that a range reaches into: all, or those of one group above. */
  #groupsOf(range: Range, level: number, above?: number): Group[] {
    const size = BLOCK * GROUP ** level
    const whole = { start: Math.floor(range.start / size), end: Math.ceil(range.end / size) }
    const { start, end } = above === undefined ? whole : clip(whole, above * GROUP, GROUP)
    const minima = this.#levels[level]!
    const groups: Group[] = []
    for (let number = start; number < end; number++) {
      groups.push({ level, number, least: minima[number * KEPT]! })
    }
    return groups
  }
}

function minimaOf(below: Uint32Array): Uint32Array {
  const minima = new Uint32Array(KEPT * Math.ceil(below.length / KEPT / GROUP)).fill(NONE)
  for (let i = 0; i < below.length; i++) {
    keepLeast(minima, KEPT * Math.floor(i / KEPT / GROUP), below[i]!)
  }
  return minima
}

function keepAll(minima: Uint32Array, group: number, found: Uint32Array): void {
  const last = found.length - 1
  for (let i = KEPT * group; i < KEPT * (group + 1) && minima[i]! < found[last]!; i++) {
    keepLeast(found, 0, minima[i]!)
  }
}

/** The level on which a range reaches into few groups. */
function topLevelOf({ start, end }: Range): number {
  let level = 0
  for (let size = BLOCK * GROUP; end - start > size; size *= GROUP) level++
  return level
}

function takeLeast(groups: Group[]): Group | undefined {
  let at = 0
  for (let i = 1; i < groups.length; i++) if (groups[i]!.least < groups[at]!.least) at = i
  return groups.splice(at, 1)[0]
}
