const PART = /[^.[\]]+|\[(?:\d+|\*)\]/g

/**
 * Reads the values at a path such as `products[*].product_id`: one value, or one for each item at `[*]`. A
 * member that does not exist reads as undefined; an empty list gives no values.
 */
export function readPath(payload: unknown, path: string): unknown[] {
  let values: unknown[] = [payload]
  for (const part of path.match(PART) ?? []) values = values.flatMap(value => readPart(value, part))
  return values
}

function readPart(value: unknown, part: string): unknown[] {
  if (part === '[*]') return Array.isArray(value) ? value : [undefined]
  if (part.startsWith('[')) {
    return [Array.isArray(value) ? (value as unknown[])[Number(part.slice(1, -1))] : undefined]
  }
  const isReadable = typeof value === 'object' && value !== null && Object.hasOwn(value, part)
  return [isReadable ? (value as Record<string, unknown>)[part] : undefined]
}
