import type { IncomingMessage } from 'node:http'

const bodyLimitBytes = 1_048_576

/** Reads the body of a request as text, no more than a client of the world has to send. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request) {
    size += part.length
    if (size <= bodyLimitBytes) parts.push(part)
  }
  return Buffer.concat(parts).toString()
}
