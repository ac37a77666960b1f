import type { Answer } from './answer.ts'
import type { FileName, Place } from './site.ts'

/**
 * Builds a host that is named after its fault; both of its files have it. Each host has a
 * registrable domain of its own, so that politeness and same-site rules treat every fault by
 * itself.
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
