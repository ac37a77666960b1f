import { operations } from '../routes/index.ts'
import { listGuides, listHeadings, toGuidePath } from './guides.ts'
import { toHeadingId } from './html/markdown.ts'
import { toOperationPath } from './parts/operation.tsx'

/** A place in the documentation that a search may lead to. */
export interface FoundDocument {
  title: string
  path: string
  about: string
}

interface Entry extends FoundDocument {
  /** Words of its title, and of the rest, in lower case. */
  named: readonly string[]
  described: readonly string[]
}

let entries: readonly Entry[] | undefined

/**
 * Finds guides, their sections and operations that have a word for each one of the text: first those that have most
 * of them in their titles.
 */
export function findDocuments(text: string, limit: number): readonly FoundDocument[] {
  const words = toWords(text)
  if (words.length === 0) return []
  entries ??= [...listGuideEntries(), ...listOperationEntries()]
  const isIn = (known: readonly string[]) => (word: string) =>
    known.some(other => other.startsWith(word))
  const countNamed = ({ named }: Entry) => words.filter(isIn(named)).length
  return entries
    .filter(({ named, described }) => words.every(isIn([...named, ...described])))
    .toSorted((a, b) => countNamed(b) - countNamed(a))
    .slice(0, limit)
}

function listGuideEntries(): Entry[] {
  const guides = listGuides().map(({ name, title, summary }) =>
    toEntry({ title, path: toGuidePath(name), about: summary }, name),
  )
  const sections = listGuides().flatMap(({ name, title, markdown }) =>
    listHeadings(markdown).map(heading => {
      const plain = heading.replaceAll('`', '')
      const path = `${toGuidePath(name)}#${toHeadingId(heading)}`
      return toEntry({ title: plain, path, about: title })
    }),
  )
  return [...guides, ...sections]
}

function listOperationEntries(): Entry[] {
  return operations
    .filter(({ group }) => group !== undefined)
    .map(({ id, summary, description, method, path }) =>
      toEntry(
        { title: summary, path: toOperationPath(id), about: `${method} ${path}` },
        id,
        description,
      ),
    )
}

function toEntry(found: FoundDocument, name = '', description = ''): Entry {
  return {
    ...found,
    named: toWords(`${found.title} ${name}`),
    described: toWords(`${found.about} ${description}`),
  }
}

function toWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}
