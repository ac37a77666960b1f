/** Returns the item at an index; throws if the list does not reach so far. */
export function getItem<Item>(list: readonly Item[], index: number): Item {
  const item = list[index]
  if (item === undefined) throw new Error(`there is no item ${index} among ${list.length}`)
  return item
}
