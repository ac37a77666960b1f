import { closeSync, openSync, writeSync } from 'node:fs'
import { ServingStore } from './lmdb.ts'
import { publishedSpaces, toPublicEntry } from './public-entries.ts'
import { encodeFrames } from './segment.ts'
import type { Entry } from './spaces.ts'

/** The commit up to which a base has everything. */
export interface BaseMark {
  chain: string
  position: number
  seq: number
}

/**
 * Writes the public entries of a serving store as a segment of one commit. Reads without a pause, so that all
 * of it is as of one commit whatever is written meanwhile.
 */
export async function writeBase(servingFile: string, target: string): Promise<BaseMark> {
  const store = ServingStore.open(servingFile, { readOnly: true })
  const descriptor = openSync(target, 'w')
  try {
    const { chain = '', position, seq } = store
    for (const frame of encodeFrames(listPublicEntries(store), position)) {
      writeSync(descriptor, frame)
    }
    return { chain, position, seq }
  } finally {
    closeSync(descriptor)
    await store.close()
  }
}

/** Lists the public entries of a store, space by space in the order of their keys. */
export function* listPublicEntries(store: ServingStore): Iterable<Entry> {
  for (const space of publishedSpaces) {
    for (const { key, value } of store.entries(space)) {
      const shown = toPublicEntry({ space, key, value })
      if (shown !== undefined) yield shown
    }
  }
}
