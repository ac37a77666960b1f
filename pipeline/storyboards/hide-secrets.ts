const HIDDEN = '[redacted]'

/** Replaces secrets wherever they occur in the texts of a value, names of members included. */
export function hideSecrets<Value>(value: Value, secrets: readonly string[]): Value {
  return secrets.length === 0 ? value : (hide(value, secrets) as Value)
}

function hide(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return hideInText(value, secrets)
  if (Array.isArray(value)) return value.map(item => hide(item, secrets))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      hideInText(name, secrets),
      hide(member, secrets),
    ]),
  )
}

function hideInText(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text)
}
