/**
 * Values that are there unless the code has a mistake. Where one is missing, these functions throw an error that
 * says what was missing, instead of passing `undefined` on.
 */

/** Returns a value that must be there; throws with its name if it is undefined or null. */
export function requireValue<Value>(value: Value, name: string): NonNullable<Value> {
  if (value === undefined || value === null) throw new Error(`there is no ${name}`)
  return value
}

/** Returns the value of a key; throws if the map does not have the key. */
export function getOrThrow<Key, Value>(map: { get(key: Key): Value | undefined }, key: Key): Value {
  const value = map.get(key)
  if (value === undefined) throw new Error(`there is no value of ${String(key)}`)
  return value
}

/** Returns the item at an index; throws if the list does not reach so far. */
export function getAt<Item>(list: ArrayLike<Item>, index: number): Item {
  const item = list[index]
  if (item === undefined) throw new Error(`there is no item ${index} among ${list.length}`)
  return item
}

/** Returns the first item; throws if the list is empty. */
export function getFirst<Item>(list: ArrayLike<Item>): Item {
  return getAt(list, 0)
}

/** Returns the last item; throws if the list is empty. */
export function getLast<Item>(list: ArrayLike<Item>): Item {
  return getAt(list, list.length - 1)
}

/** Removes the entry that was set first, as caches of a limited size do. */
export function removeOldest<Key>(map: Map<Key, unknown>): void {
  const [oldest] = map.keys()
  if (oldest !== undefined) map.delete(oldest)
}
