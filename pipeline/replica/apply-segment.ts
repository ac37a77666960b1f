import { open } from 'node:fs/promises'
import { getAt } from '../core/present.ts'
import type { ServingStore } from '../serving/lmdb.ts'
import { decodeEntries, FRAME_HEAD_BYTES, readFrameHead } from '../serving/segment.ts'
import { type Entry, POSITION } from '../serving/spaces.ts'

/** A frame of a segment file, and the place of the commit that it belongs to. */
interface FramePlace {
  at: number
  bytes: number
  position: number
  isLast: boolean
}

/**
 * Applies to a replica's store the commits of a segment that it lacks, one by one as the origin made them: a
 * large commit in parts, of which the last one moves the store's place in the chain.
 */
export async function applySegment(store: ServingStore, path: string): Promise<void> {
  const handle = await open(path)
  const read = async (at: number, bytes: number) => {
    const buffer = Buffer.allocUnsafe(bytes)
    const { bytesRead } = await handle.read(buffer, 0, bytes, at)
    if (bytesRead < bytes) throw new Error(`${path} ends within a commit`)
    return buffer
  }
  try {
    const { size } = await handle.stat()
    for (const frame of await listFrames(size, read)) {
      if (frame.position <= store.position) continue
      if (frame.position > store.position + 1)
        throw new Error(`${path} lacks the commits before ${frame.position}`)
      const entries = decodeEntries(await read(frame.at, frame.bytes))
      if (frame.isLast) endCommit(store, entries, frame.position)
      else store.writePart(entries)
    }
  } finally {
    await handle.close()
  }
}

function endCommit(store: ServingStore, entries: readonly Entry[], position: number): void {
  const seq = entries.findLast(({ space, key }) => space === 'meta' && key === 'seq')?.value
  const place: Entry = { space: 'meta', key: POSITION, value: Buffer.from(String(position)) }
  store.write([...entries, place], seq === undefined ? store.seq : Number(seq.toString()))
}

async function listFrames(
  size: number,
  read: (at: number, bytes: number) => Promise<Buffer>,
): Promise<FramePlace[]> {
  const frames: FramePlace[] = []
  let open = 0
  for (let at = 0; at < size; ) {
    const { bytes, position } = readFrameHead(await read(at, FRAME_HEAD_BYTES))
    at += FRAME_HEAD_BYTES
    frames.push({ at, bytes, position, isLast: position > 0 })
    at += bytes
    if (position === 0) continue
    for (; open < frames.length; open++) getAt(frames, open).position = position
  }
  return frames.slice(0, open)
}
