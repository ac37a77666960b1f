/**
 * The sources as the registry understands them: what the parsers of `crawl/` make of the bytes a
 * publisher serves, and all that anybody after them sees. Keys are spelled as on the wire; one that
 * says nothing is absent, never null.
 */
export * from './documents-adagents.ts'
export * from './documents-agent.ts'
export * from './documents-brand.ts'
export * from './documents-others.ts'
export * from './documents-vocabulary.ts'

import type { AdagentsDocument } from './documents-adagents.ts'
import type { AgentDocument } from './documents-agent.ts'
import type { BrandDocument } from './documents-brand.ts'
import type { AdsTxtDocument } from './documents-others.ts'

/** The document of each kind of source. */
export interface Documents {
  'brand.json': BrandDocument
  'adagents.json': AdagentsDocument
  'ads.txt': AdsTxtDocument
  agent: AgentDocument
}
export type SourceKind = keyof Documents
export type DocumentOf<Kind extends SourceKind = SourceKind> = Documents[Kind]
