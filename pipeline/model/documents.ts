/**
 * The two files as the registry understands them: what the parsers of `crawl/` make of the bytes a
 * publisher serves, and all that anybody after them sees. Keys are spelled as on the wire; one that
 * says nothing is absent, never null.
 */
export * from './documents-adagents.ts'
export * from './documents-brand.ts'
export * from './documents-vocabulary.ts'
