/** Tells whether a field of a document says how to reach a person: an email address or a contact. */
export function isPersonal(key: string, value: unknown): boolean {
  if (key === 'email') return typeof value === 'string' && value.includes('@')
  return key === 'contact' && (typeof value === 'object' || typeof value === 'string')
}

/** Copies a value without such fields, at any depth. */
export function stripPii<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(stripPii) as Value
  const impersonal = Object.entries(value).filter(([key, member]) => !isPersonal(key, member))
  return Object.fromEntries(impersonal.map(([key, member]) => [key, stripPii(member)])) as Value
}
