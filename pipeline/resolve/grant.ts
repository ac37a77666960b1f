import type { AdagentsDocument, AgentEntry } from '../model/documents/index.ts'

export type AdagentsInlineDocument = Extract<AdagentsDocument, { variant: 'inline' }>

/** A grant as the file states it; `reaches` are positions in `properties`. */
export interface Grant {
  entry: AgentEntry
  reaches: readonly number[]
  /** Its window is open. */
  in_force: boolean
}
