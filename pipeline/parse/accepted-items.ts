import type { AdagentsInline } from '../model/documents/index.ts'
import type { ObjectReader } from './object-reader.ts'

/** An accepted item, with the part of the file it came from. */
export interface Accepted<T> {
  part: ObjectReader
  item: T
}

export type AcceptedLists = {
  [Name in 'agents' | 'properties' | 'collections' | 'placements' | 'signals']: Accepted<
    AdagentsInline[Name][number]
  >[]
} & { formats: ObjectReader[] }
