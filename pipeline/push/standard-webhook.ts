import { createHmac } from 'node:crypto'

/** A post as Standard Webhooks signs it: `id` is the same in each attempt, `at` the time in seconds. */
interface SignedMessage {
  id: string
  at: number
  body: readonly Uint8Array[]
}

/**
 * Builds the headers of Standard Webhooks, by which receivers verify a post with the secret that they share with
 * the registry: a signature for each secret, while one replaces another.
 */
export function buildStandardHeaders(
  { id, at, body }: SignedMessage,
  secrets: readonly Buffer[],
): Record<string, string> {
  const signatures = secrets.map(secret => {
    const hmac = createHmac('sha256', secret).update(`${id}.${at}.`)
    for (const part of body) hmac.update(part)
    return `v1,${hmac.digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': String(at),
    'webhook-signature': signatures.join(' '),
  }
}
