import { clip, type Range } from './range.ts'
import { BLOCK } from './suffixes-builder.ts'

/** Of how many blocks, or groups of them, the least entry is known together. */
const GROUP = 16

/** A block, at level 0, or a group of `GROUP ** level` blocks. */
interface Group {
  level: number
  number: number
  least: number
}

/** The least entry of each block of suffixes, of each GROUP of these, and so on. */
export class BlockMinima {
  readonly #levels: Uint32Array[]

  constructor(least: Uint32Array) {
    this.#levels = [least]
    for (let below = least; below.length > 1; this.#levels.push(below)) below = minimaOf(below)
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
    const minima = this.#levels[level]!.subarray(start, end)
    return Array.from(minima, (least, i) => ({ level, number: start + i, least }))
  }
}

function minimaOf(below: Uint32Array): Uint32Array {
  const minima = new Uint32Array(Math.ceil(below.length / GROUP)).fill(-1)
  for (const [i, id] of below.entries()) {
    const number = Math.floor(i / GROUP)
    minima[number] = Math.min(minima[number]!, id)
  }
  return minima
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
