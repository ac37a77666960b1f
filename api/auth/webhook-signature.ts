import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Instant, MINUTE, SECOND } from '../../pipeline/core/clock.ts'

/** Header with `t=<unix seconds>,v1=<hex>`; several `v1` while a secret is being replaced. */
export const SIGNATURE_HEADER = 'billing-signature'

const TOLERANCE_MS = 5 * MINUTE

/**
 * Checks the signature of a webhook and returns why it is not accepted, or undefined. It is an HMAC-SHA256
 * of the time, a dot and the bytes as sent; the time must be recent, so that a webhook cannot be replayed
 * later.
 */
export function checkSignature(
  bytes: Buffer,
  header: string | string[] | undefined,
  secret: string,
  now: Instant,
): string | undefined {
  if (header === undefined) return `${SIGNATURE_HEADER}: the header is required`
  const parts = [header].flat().join().split(',')
  const values = (name: string) =>
    parts.flatMap(part =>
      part.trim().startsWith(`${name}=`) ? [part.trim().slice(name.length + 1)] : [],
    )
  const [time = ''] = values('t')
  if (!/^\d{1,12}$/.test(time)) return `${SIGNATURE_HEADER}: has no valid time`
  const expected = createHmac('sha256', secret).update(`${time}.`).update(bytes).digest()
  const isSigned = values('v1').some(value => {
    const claimed = Buffer.from(value, 'hex')
    return claimed.length === expected.length && timingSafeEqual(claimed, expected)
  })
  if (!isSigned) return `${SIGNATURE_HEADER}: the signature does not match`
  const isNow = Math.abs(now - Number(time) * SECOND) <= TOLERANCE_MS
  return isNow ? undefined : `${SIGNATURE_HEADER}: the time of the signature is too far off`
}
