import { z } from 'zod'
import type { AdagentsDocument } from './adagents.ts'
import type { AgentDocument } from './agent.ts'
import type { BrandDocument } from './brand.ts'

/**
 * Parsed documents: the output of the parsers in `parse/`, and the only form in which later steps see a
 * file. Keys are spelled as in the file; an optional member is absent, never null.
 */
export * from './adagents.ts'
export * from './agent.ts'
export * from './brand.ts'
export * from './vocabulary.ts'

/** The part of an `ads.txt` that the registry reads: the manager of the domain's inventory. */
export const AdsTxtDocument = z.object({
  variant: z.literal('ads_txt'),
  /** The last eligible `MANAGERDOMAIN`. */
  manager_domain: z.string().exactOptional(),
})
export type AdsTxtDocument = z.infer<typeof AdsTxtDocument>

/** The document of each kind of source. */
export interface Documents {
  'brand.json': BrandDocument
  'adagents.json': AdagentsDocument
  'ads.txt': AdsTxtDocument
  agent: AgentDocument
}
export type SourceKind = keyof Documents
export type DocumentOf<Kind extends SourceKind = SourceKind> = Documents[Kind]
