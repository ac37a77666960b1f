const text = { type: 'string' } as const
const count = { type: 'integer', minimum: 0 } as const

/** Headers of responses that clients use, with their meanings. */
export const responseHeaderTexts = {
  ETag: {
    description:
      'Version of the content; send it as `If-None-Match` to get a 304 while it is the same',
    schema: text,
  },
  'Last-Modified': {
    description: 'Time at which the content last changed; send it as `If-Modified-Since`',
    schema: text,
  },
  Link: {
    description: 'URL of the operation to use instead, with `rel="successor-version"`',
    schema: text,
  },
  Deprecation: {
    description: '`true` for an operation that another one replaces',
    schema: text,
  },
  Location: {
    description: 'URL at which to follow what was accepted with a 202',
    schema: text,
  },
  'Preference-Applied': {
    description: 'Preference from `Prefer` that was applied',
    schema: text,
  },
  'RateLimit-Limit': {
    description: 'Number of requests allowed in the window of the limit',
    schema: count,
  },
  'RateLimit-Remaining': {
    description: 'Number of requests left in the window of the limit',
    schema: count,
  },
  'RateLimit-Reset': {
    description: 'Seconds until more requests are allowed',
    schema: count,
  },
  'RateLimit-Policy': {
    description: 'The limit with its window in seconds, such as `60;w=3600`',
    schema: text,
  },
  'Retry-After': {
    description: 'Seconds after which to try again',
    schema: { type: 'integer', minimum: 1 },
  },
  'X-Registry-Seq': {
    description: 'Number of the commit that the response shows',
    schema: count,
  },
  'X-Registry-As-Of': {
    description: 'Time up to which the response includes all commits',
    schema: { type: 'string', format: 'date-time' },
  },
  'X-Sync-Cursor': {
    description: 'Last event that the response includes; read the feed from this cursor',
    schema: { type: 'string', format: 'uuid' },
  },
} as const
export type ResponseHeader = keyof typeof responseHeaderTexts

/** Headers that requests may have besides their credential, with their meanings. */
export const requestHeaderTexts = {
  'Idempotency-Key': {
    description:
      'Identifies the request when you retry it: the request is carried out once, and each retry gets the same response, or a 409 if the response contained a secret; a different request with the same key gets a 409. A key counts for this path and your organization, and never expires.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  'If-Modified-Since': {
    description:
      'The `Last-Modified` of the response that you have; `If-None-Match` takes precedence',
    schema: text,
  },
  'If-None-Match': {
    description: 'The `ETag` of the response that you have; if it is still current, you get a 304',
    schema: text,
  },
  'Last-Event-ID': {
    description: 'ID of the last message that you got; takes precedence over `cursor`',
    schema: { type: 'string', format: 'uuid' },
  },
  Prefer: {
    description: '`respond-async` to get a 202 at once and follow the progress',
    schema: text,
  },
} as const
export type RequestHeader = keyof typeof requestHeaderTexts
