import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Instant, MINUTE, SECOND } from '../../pipeline/core/clock.ts'

/** Header of the billing provider with `t=<unix seconds>,v1=<hex>`; several `v1` while a secret is being replaced. */
export const BILLING_SIGNATURE_HEADER = 'billing-signature'

const TOLERANCE_MS = 5 * MINUTE

/**
 * Checks the signature of a webhook of the billing provider; returns what is wrong with it, or undefined. It
 * is an HMAC-SHA256 of the time, a dot and the bytes as sent; the time must be recent, so that a webhook
 * cannot be replayed later.
 */
export function checkBillingSignature(
  bytes: Buffer,
  header: string | string[] | undefined,
  secret: string,
  now: Instant,
): string | undefined {
  if (header === undefined) return `${BILLING_SIGNATURE_HEADER}: is required`
  const parts = [header].flat().join().split(',')
  const readValues = (name: string) =>
    parts.flatMap(part =>
      part.trim().startsWith(`${name}=`) ? [part.trim().slice(name.length + 1)] : [],
    )
  const [time = ''] = readValues('t')
  if (!/^\d{1,12}$/.test(time)) return `${BILLING_SIGNATURE_HEADER}: has no valid time`
  const expected = createHmac('sha256', secret).update(`${time}.`).update(bytes).digest()
  const isSigned = readValues('v1').some(value => {
    const claimed = Buffer.from(value, 'hex')
    return claimed.length === expected.length && timingSafeEqual(claimed, expected)
  })
  if (!isSigned) return `${BILLING_SIGNATURE_HEADER}: has a signature that does not match`
  const isRecent = Math.abs(now - Number(time) * SECOND) <= TOLERANCE_MS
  return isRecent ? undefined : `${BILLING_SIGNATURE_HEADER}: has a time that is too far off`
}
