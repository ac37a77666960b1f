import { rmSync } from 'node:fs'
import { ServingStore } from './lmdb.ts'
import { derivedSpaces, publishedSpaces, toPublicEntry } from './public-entries.ts'
import { type Entry, REPLICA, type SpaceName } from './spaces.ts'

/** The commit up to which a base has everything. */
export interface BaseMark {
  chain: string
  position: number
  seq: number
}

/**
 * Writes the serving store of a replica: the public entries of a store, and what is derived of them. Reads without
 * a pause, so that all of it is as of one commit whatever is written meanwhile. The file is not flushed.
 */
export async function writeBase(servingFile: string, target: string): Promise<BaseMark> {
  const store = ServingStore.open(servingFile, { readOnly: true })
  try {
    const { chain = '', position, seq } = store
    const made = ServingStore.create(target)
    made.append(listReplicatedEntries(store))
    made.writePart([{ space: 'meta', key: REPLICA, value: Buffer.from('1') }])
    await made.close()
    rmSync(`${target}-lock`)
    return { chain, position, seq }
  } finally {
    await store.close()
  }
}

/** Lists the public entries of a store, space by space in the order of their keys. */
export function* listPublicEntries(store: ServingStore): Iterable<Entry> {
  for (const entry of listEntries(store, publishedSpaces)) {
    const shown = toPublicEntry(entry)
    if (shown !== undefined) yield shown
  }
}

function* listReplicatedEntries(store: ServingStore): Iterable<Entry> {
  yield* listPublicEntries(store)
  yield* listEntries(store, derivedSpaces)
}

function* listEntries(store: ServingStore, spaces: readonly SpaceName[]): Iterable<Entry> {
  for (const space of spaces)
    for (const { key, value } of store.entries(space)) yield { space, key, value }
}
