/** A field that differs between two documents, as JSON; a side that has no such field is undefined. */
export interface Change {
  /** Names from the outermost in, joined by dots. */
  path: string
  before: string | undefined
  after: string | undefined
}

/** Differences that are listed; whatever follows is left out. */
const CHANGES_MAX = 2_000
const DEPTH_MAX = 12
/** Members by which the items of a list are matched, the first that each item has. */
const ids = ['property_id', 'placement_id', 'collection_id', 'id', 'url', 'domain', 'kid', 'value']

/**
 * Compares two documents field by field, in the order of the newer one; what is gone comes last. The items of a list
 * are matched by their ids, and a list of values is one field.
 */
export function compareDocuments(before: unknown, after: unknown): Change[] {
  const changes: Change[] = []
  visit(before, after, [], changes)
  return changes
}

/** Lists what differs between two files, but for the time of the last change. */
export function compareFiles(before: object, after: object): Change[] {
  const [old, now] = [before, after].map(file => ({ ...file, last_updated: undefined }))
  return compareDocuments(old, now)
}

function visit(before: unknown, after: unknown, path: readonly string[], changes: Change[]): void {
  if (changes.length >= CHANGES_MAX || toJson(before) === toJson(after)) return
  const members = path.length < DEPTH_MAX ? pairMembers(before, after) : undefined
  if (members === undefined) {
    changes.push({ path: path.join('.'), ...toSides(before, after) })
    return
  }
  for (const [name, [old, now]] of members) visit(old, now, [...path, name], changes)
}

type Pairs = Map<string, [before: unknown, after: unknown]>

/** Pairs the members of two objects, or the items of two lists of objects; undefined for anything else. */
function pairMembers(before: unknown, after: unknown): Pairs | undefined {
  if (Array.isArray(before) && Array.isArray(after)) {
    const items = [...before, ...after]
    if (!items.every(isObject)) return undefined
    const id = ids.find(name => [before, after].every(list => isUniqueIn(list, name)))
    const toNamed = (list: unknown[]) =>
      list.map((item, at): [string, unknown] => [
        id === undefined ? String(at) : String((item as Json)[id]),
        item,
      ])
    return pair(toNamed(before), toNamed(after))
  }
  if (!isObject(before) || !isObject(after)) return undefined
  return pair(Object.entries(before), Object.entries(after))
}

function pair(before: [string, unknown][], after: [string, unknown][]): Pairs {
  const old = new Map(before)
  const pairs: Pairs = new Map(after.map(([name, value]) => [name, [old.get(name), value]]))
  for (const [name, value] of before) if (!pairs.has(name)) pairs.set(name, [value, undefined])
  return pairs
}

type Json = Record<string, unknown>

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isUniqueIn(list: unknown[], name: string): boolean {
  const found = list.map(item => (item as Json)[name])
  return found.every(value => typeof value === 'string') && new Set(found).size === found.length
}

/** Writes both sides as JSON; of two lists of values only what one of them has and the other has not. */
function toSides(before: unknown, after: unknown): Omit<Change, 'path'> {
  const isPair = Array.isArray(before) && Array.isArray(after)
  if (!isPair) return { before: toJson(before), after: toJson(after) }
  const omit = (list: unknown[], others: unknown[]) => {
    const known = new Set(others.map(toJson))
    return list.map(toJson).filter(value => !known.has(value))
  }
  const gone = omit(before, after)
  const come = omit(after, before)
  // Where only the order differs, both are shown whole.
  if (gone.length + come.length === 0) return { before: toJson(before), after: toJson(after) }
  return { before: gone.join(', ') || undefined, after: come.join(', ') || undefined }
}

function toJson(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value)
}
