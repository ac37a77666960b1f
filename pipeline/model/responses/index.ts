/** Schemas of the lookups, lists and the feed; the other responses are in the files beside this one. */
export * from './brands.ts'
export * from './error.ts'
export * from './feed.ts'
export * from './freshness.ts'
export * from './properties.ts'
export * from './publishers.ts'
export * from './stats.ts'
