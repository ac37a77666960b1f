import { SECRET_CHARS_MIN } from '../core/keys/sealing.ts'

const HIDDEN = '[redacted]'

/**
 * Replaces secrets in the texts of a value that is shown. Names of members stay as they are. A secret
 * that is too short to be told from ordinary words is hidden only where it is the whole text.
 */
export function hideSecrets<Value>(value: Value, secrets: readonly string[]): Value {
  if (secrets.length === 0) return value
  // A secret may contain another one, of which a rest would stay.
  return hide(
    value,
    [...secrets].sort((a, b) => b.length - a.length),
  ) as Value
}

function hide(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return hideInText(value, secrets)
  if (Array.isArray(value)) return value.map(item => hide(item, secrets))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, hide(member, secrets)]),
  )
}

function hideInText(text: string, secrets: readonly string[]): string {
  if (secrets.includes(text)) return HIDDEN
  return secrets
    .filter(secret => secret.length >= SECRET_CHARS_MIN)
    .reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text)
}
