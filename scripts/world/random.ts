import { getItem } from './items.ts'
export type Random = {
  /** Returns a number in [0, 1). */
  next(): number
  below(limit: number): number
  chance(share: number): boolean
  pick<T>(list: readonly [T, ...T[]]): T
  /** Picks up to `count` different members, in random order. */
  some<T>(list: readonly T[], count: number): T[]
}

/**
 * Creates a random source that depends only on its parts. Each site has its own source, so adding a
 * site leaves the documents of all others unchanged.
 */
export function createRandom(...parts: readonly (string | number)[]): Random {
  const next = createMulberry32(hashFnv1a(parts.join('\u0000')))
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    next,
    below,
    chance: share => next() < share,
    pick: list => getItem(list, below(list.length)),
    some: (list, count) => shuffle(list, below).slice(0, count),
  }
}

function shuffle<T>(list: readonly T[], below: (limit: number) => number): T[] {
  const cards = [...list]
  for (let i = cards.length - 1; i > 0; i--) {
    const j = below(i + 1)
    const card = getItem(cards, i)
    cards[i] = getItem(cards, j)
    cards[j] = card
  }
  return cards
}

function hashFnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  }
  return hash >>> 0
}

function createMulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
