import { gunzipSync } from 'node:zlib'
import { bundleBounds } from './check-bundle.ts'

const BLOCK = 512
/** Parts of the header of a file (POSIX.1-1988): first byte, and bytes. */
const header = { name: [0, 100], size: [124, 12], type: [156, 1], prefix: [345, 155] } as const
const kinds = { file: ['0', '\0', ''], folder: '5', longName: 'L', pax: 'x', paxForAll: 'g' }
/** A part of a name, of plain characters. */
const SAFE_PART = /^[\w@+.-]+$/
const STORED_NAME = /\.(ya?ml|json)$/
const PAX_PATH = /^\d+ path=(.*)$/m

export type Archive = { files: Map<string, Buffer> } | { fault: string }

/**
 * Reads the YAML and JSON files of a gzipped tar archive. One that has links, or a name that leaves its folder,
 * is refused as a whole.
 */
export function readArchive(bytes: Buffer): Archive {
  let tar: Buffer
  try {
    tar = gunzipSync(bytes, { maxOutputLength: bundleBounds.bytes })
  } catch (error) {
    const isLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    return { fault: isLarge ? 'it unpacks to too many bytes' : 'it is no gzipped archive' }
  }
  return readTar(tar)
}

function readTar(tar: Buffer): Archive {
  const files = new Map<string, Buffer>()
  let longName: string | undefined
  for (let at = 0; at + BLOCK <= tar.length; ) {
    const block = tar.subarray(at, at + BLOCK)
    if (block.every(byte => byte === 0)) break
    const size = Number.parseInt(readText(block, header.size) || '0', 8)
    const [start, end] = [at + BLOCK, at + BLOCK + size]
    if (!Number.isSafeInteger(size) || size < 0 || end > tar.length)
      return { fault: 'it is cut off' }
    at = start + Math.ceil(size / BLOCK) * BLOCK
    const content = tar.subarray(start, end)
    const type = readText(block, header.type)
    if (type === kinds.longName || type === kinds.pax) {
      longName = readLongName(type, content) ?? longName
      continue
    }
    if (type === kinds.paxForAll) continue
    const name = longName ?? readName(block)
    longName = undefined
    const fault = checkEntry(name, type)
    if (fault !== undefined) return { fault }
    if (type === kinds.folder || !STORED_NAME.test(name)) continue
    files.set(name.replace(/^\.\//, ''), content)
    if (files.size > bundleBounds.files) return { fault: 'it has too many files' }
  }
  return files.size === 0 ? { fault: 'it is no tar archive with files' } : { files }
}

function checkEntry(name: string, type: string): string | undefined {
  const shown = JSON.stringify(name.slice(0, 100))
  const isFolder = type === kinds.folder
  if (!isFolder && !kinds.file.includes(type)) return `${shown} is a link, or no plain file`
  const parts = name.replace(/^\.\//, '').replace(/\/$/, '').split('/')
  const isSafe = parts.every(part => SAFE_PART.test(part) && part !== '..')
  return isSafe || (isFolder && /^\.?\/?$/.test(name))
    ? undefined
    : `${shown} is no name of a file in it`
}

function readName(block: Buffer): string {
  const [name, prefix] = [readText(block, header.name), readText(block, header.prefix)]
  return prefix === '' ? name : `${prefix}/${name}`
}

/** Reads the name of the next file where it is too long for its header. */
function readLongName(type: string, content: Buffer): string | undefined {
  const text = content.toString('utf8')
  return type === kinds.pax ? PAX_PATH.exec(text)?.[1] : text.replace(/\0.*$/s, '')
}

function readText(block: Buffer, [start, bytes]: readonly [number, number]): string {
  const text = block.toString('utf8', start, start + bytes)
  return text.replace(/\0.*$/s, '').trim()
}
