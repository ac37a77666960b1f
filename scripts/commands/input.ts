import { once } from 'node:events'
import { createReadStream, readdirSync, statSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { toTypedPath } from './typed-path.ts'

/**
 * Opens a file that the user named, or with `-` the standard input; throws where it cannot be read.
 */
export async function openInput(typed: string): Promise<Readable> {
  if (typed === '-') return process.stdin
  const stream = createReadStream(toTypedPath(typed))
  try {
    await once(stream, 'open')
  } catch (error) {
    throw new Error(`${typed} cannot be read: ${describeError(error)}`)
  }
  if (statSync(toTypedPath(typed)).isDirectory()) {
    stream.destroy()
    throw new Error(`${typed} cannot be read: it is a folder`)
  }
  return stream
}

/** Names an input in messages. */
export function nameInput(typed: string): string {
  return typed === '-' ? 'the standard input' : typed
}

/** Reads a whole file, or the standard input, as JSON. */
export async function readJsonFrom(typed: string): Promise<unknown> {
  const content = await text(await openInput(typed))
  try {
    return JSON.parse(content)
  } catch (error) {
    throw new Error(`${nameInput(typed)} is not JSON: ${(error as Error).message}`)
  }
}

/** Throws where a folder that the user named cannot be read. */
export function assertFolder(typed: string): void {
  try {
    readdirSync(toTypedPath(typed))
  } catch (error) {
    throw new Error(`${typed} cannot be read: ${describeError(error)}`)
  }
}

function describeError(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return 'it does not exist'
  if (code === 'ENOTDIR') return 'it is not a folder'
  if (code === 'EACCES') return 'permission denied'
  return message
}
