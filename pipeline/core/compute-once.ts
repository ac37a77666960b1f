/** Returns a function that computes a value on its first call, and the same one from then on. */
export function computeOnce<Value>(compute: () => NonNullable<Value>): () => NonNullable<Value> {
  let value: NonNullable<Value> | undefined
  return () => {
    value ??= compute()
    return value
  }
}
