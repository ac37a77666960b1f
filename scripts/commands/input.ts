import { once } from 'node:events'
import { createReadStream, readdirSync, statSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { toTypedPath } from './environment.ts'

/** Opens what a person named: a file, or with `-` the standard input. Throws, in words, where it cannot be read. */
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

/** How words name what a person typed. */
export function nameInput(typed: string): string {
  return typed === '-' ? 'the standard input' : typed
}

/** All of it, as JSON. */
export async function readJsonFrom(typed: string): Promise<unknown> {
  const content = await text(await openInput(typed))
  try {
    return JSON.parse(content)
  } catch (error) {
    throw new Error(`${nameInput(typed)} is no JSON: ${(error as Error).message}`)
  }
}

/** Throws, in words, where a folder that a person named cannot be read. */
export function assertFolder(typed: string): void {
  try {
    readdirSync(toTypedPath(typed))
  } catch (error) {
    throw new Error(`${typed} cannot be read: ${describeError(error)}`)
  }
}

function describeError(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return 'it is not there'
  if (code === 'ENOTDIR') return 'it is no folder'
  if (code === 'EACCES') return 'this user may not'
  return message
}
