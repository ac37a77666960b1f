import type { StoredAnswer } from '../pipeline/index/points/stored.ts'

/** What a handler answers with. Bytes are sent as they are, an object as its JSON. */
export interface Sent {
  status: number
  body: Buffer | string | object
  /** Media type; JSON where nothing is said. */
  type?: string
  etag?: string
  headers?: Readonly<Record<string, string>>
}

export function ok(body: Sent['body'], headers?: Sent['headers']): Sent {
  return headers === undefined ? { status: 200, body } : { status: 200, body, headers }
}

export function okStored({ etag, body }: StoredAnswer, headers?: Sent['headers']): Sent {
  return headers === undefined ? { status: 200, body, etag } : { status: 200, body, etag, headers }
}
