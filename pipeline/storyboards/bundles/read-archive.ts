import { gunzipSync } from 'node:zlib'
import { type TarHeader, unpackTar } from 'modern-tar'
import { bundleBounds } from './check-bundle.ts'

/** A part of a name, of plain characters. */
const SAFE_PART = /^[\w@+.-]+$/
const STORED_NAME = /\.(ya?ml|json)$/

export type Archive = { files: Map<string, Uint8Array> } | { fault: string }

/**
 * Reads the YAML and JSON files of a gzipped tar archive. One that has links, or a name that leaves its folder,
 * is refused as a whole.
 */
export async function readArchive(bytes: Buffer): Promise<Archive> {
  let tar: Buffer
  try {
    tar = gunzipSync(bytes, { maxOutputLength: bundleBounds.bytes })
  } catch (error) {
    const isLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    return { fault: isLarge ? 'it unpacks to too many bytes' : 'it is no gzipped archive' }
  }
  let entries = 0
  let fault: string | undefined
  const filter = (header: TarHeader) => {
    entries++
    fault ??= entries > bundleBounds.files ? 'it has too many files' : checkEntry(header)
    if (fault !== undefined) throw new Error(fault)
    return header.type === 'file' && STORED_NAME.test(header.name)
  }
  try {
    const stored = await unpackTar(tar, { strict: true, filter })
    const files = stored.map(({ header, data = new Uint8Array() }) => {
      return [header.name.replace(/^\.\//, ''), data] as const
    })
    return files.length === 0 ? { fault: NO_FILES } : { files: new Map(files) }
  } catch {
    return { fault: fault ?? 'it is cut off, or no tar archive' }
  }
}

const NO_FILES = 'it is no tar archive with files'

function checkEntry({ name, type }: TarHeader): string | undefined {
  const shown = JSON.stringify(name.slice(0, 100))
  const isFolder = type === 'directory'
  if (!isFolder && type !== 'file') return `${shown} is a link, or no plain file`
  const parts = name.replace(/^\.\//, '').replace(/\/$/, '').split('/')
  const isSafe = parts.every(part => SAFE_PART.test(part) && part !== '..')
  return isSafe || (isFolder && /^\.?\/?$/.test(name))
    ? undefined
    : `${shown} is no name of a file in it`
}
