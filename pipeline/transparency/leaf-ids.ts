import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { toIdBytes } from '../core/uuid-v7.ts'

/** Bytes of an id. */
export const ID_BYTES = 16

/**
 * Finds the first leaf whose event is this one or a later one, among the first `size`: ids rise with the
 * leaves. Returns `size` where there is none.
 */
export function findFirstLeaf(file: string, size: number, eventId: string): number {
  const wanted = toIdBytes(eventId)
  const descriptor = openSync(file, 'r')
  try {
    let [low, high] = [0, size]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if (Buffer.compare(readId(descriptor, middle), wanted) < 0) low = middle + 1
      else high = middle
    }
    return low
  } finally {
    closeSync(descriptor)
  }
}

/** Finds the leaf of an event; undefined where it has none. */
export function findLeaf(file: string, size: number, eventId: string): number | undefined {
  const place = findFirstLeaf(file, size, eventId)
  return place < size && readLeafId(file, place) === eventId ? place : undefined
}

/** Reads the id of the event of a leaf. */
export function readLeafId(file: string, index: number): string {
  const descriptor = openSync(file, 'r')
  try {
    return formatId(readId(descriptor, index))
  } finally {
    closeSync(descriptor)
  }
}

/** Counts the complete ids in a file. */
export function countIds(file: string): number {
  const descriptor = openSync(file, 'r')
  try {
    return Math.floor(fstatSync(descriptor).size / ID_BYTES)
  } finally {
    closeSync(descriptor)
  }
}

function readId(descriptor: number, index: number): Buffer {
  const id = Buffer.alloc(ID_BYTES)
  readSync(descriptor, id, 0, ID_BYTES, index * ID_BYTES)
  return id
}

function formatId(id: Buffer): string {
  return id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
