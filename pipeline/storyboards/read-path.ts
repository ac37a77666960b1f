import { isObject, type JsonObject } from '../parse/object-reader.ts'

const PART = /[^.[\]]+|\[(?:\d+|\*)\]/g
/** Values at one path, so that a large answer costs no more. */
const VALUES_MAX = 10_000

/**
 * Reads the values at a path such as `products[*].product_id`: one value, or one for each item at `[*]`. A
 * member that does not exist reads as undefined; an empty list gives no values.
 */
export function readPath(payload: unknown, path: string): unknown[] {
  let values: unknown[] = [payload]
  for (const part of path.match(PART) ?? []) {
    values = values.flatMap(value => readPart(value, part)).slice(0, VALUES_MAX)
  }
  return values
}

function readPart(value: unknown, part: string): unknown[] {
  if (part === '[*]') return Array.isArray(value) ? value : [undefined]
  const index = toIndex(part)
  if (index !== undefined && (part.startsWith('[') || Array.isArray(value))) {
    return [Array.isArray(value) ? (value as unknown[])[index] : undefined]
  }
  const isReadable = typeof value === 'object' && value !== null && Object.hasOwn(value, part)
  return [isReadable ? (value as Record<string, unknown>)[part] : undefined]
}

function toIndex(part: string): number | undefined {
  const [, digits] = /^\[?(\d+)\]?$/.exec(part) ?? []
  return digits === undefined ? undefined : Number(digits)
}

/** Puts a value at a path of an object, and returns the changed copy. */
export function setPath(target: JsonObject, path: string, value: unknown): JsonObject {
  return setParts(target, path.match(PART) ?? [], value) as JsonObject
}

function setParts(target: unknown, [part, ...rest]: string[], value: unknown): unknown {
  if (part === undefined) return value
  const index = toIndex(part)
  if (index !== undefined) {
    const list: unknown[] = Array.isArray(target) ? [...target] : []
    list[index] = setParts(list[index], rest, value)
    return list
  }
  const object = isObject(target) ? target : {}
  return { ...object, [part]: setParts(object[part], rest, value) }
}
