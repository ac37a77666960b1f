import type { Answer } from './answer.ts'
import type { FileName, Place } from './site.ts'

/**
 * A host named after what is wrong with it, both files in the same condition. Each has a registrable
 * domain of its own, so that neither politeness nor same-site rules tie one kind of dirt to another.
 */
export function buildDirt(
  name: string,
  situation: string,
  make: (file: FileName, host: string) => Answer,
  more: Partial<Place> = {},
): Place {
  const host = `dirt-${name}.example`
  const published = (file: FileName) => ({ situation, answer: () => make(file, host) })
  return {
    host,
    files: { 'brand.json': published('brand.json'), 'adagents.json': published('adagents.json') },
    ...more,
  }
}
