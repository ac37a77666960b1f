/** A field that differs between two documents, as JSON; a side that has no such field is undefined. */
export interface Change {
  /** Names from the outermost in, joined by dots. */
  path: string
  before: string | undefined
  after: string | undefined
}

/** Fields of a document that are compared; whatever follows is left out. */
const FIELDS_MAX = 2_000
const DEPTH_MAX = 12

/** Compares two documents field by field, in the order of the newer one; what is gone comes last. */
export function compareDocuments(before: unknown, after: unknown): Change[] {
  const old = new Map(listFields(before))
  const now = new Map(listFields(after))
  const paths = [...new Set([...now.keys(), ...old.keys()])]
  return paths
    .filter(path => old.get(path) !== now.get(path))
    .map(path => ({ path, before: old.get(path), after: now.get(path) }))
}

/** Lists the innermost values of a document as JSON, each with its path. */
function listFields(document: unknown): [path: string, value: string][] {
  const fields: [string, string][] = []
  const visit = (value: unknown, path: readonly string[]) => {
    if (fields.length >= FIELDS_MAX) return
    const members =
      typeof value === 'object' && value !== null && path.length < DEPTH_MAX
        ? Object.entries(value)
        : []
    if (members.length === 0) fields.push([path.join('.'), JSON.stringify(value) ?? ''])
    for (const [name, member] of members) visit(member, [...path, name])
  }
  visit(document, [])
  return fields
}
