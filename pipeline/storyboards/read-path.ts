const PART = /[^.[\]]+|\[(?:\d+|\*)\]/g

/**
 * Reads the values at a path: one, or one for each item where the path has `[*]`. A place that is not
 * there reads as undefined; a list without items has no values.
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
