/** Key in `meta` of the commit in which any member changed last. */
export const MEMBERS_CHANGED = 'members'

/** Key in `meta` of the chain of commits that a store belongs to: a replica follows one. */
export const CHAIN = 'chain'

/** Key in `meta` of the place in its chain of the last commit. */
export const POSITION = 'position'

/** Key in `meta` that only the store of a replica has. */
export const REPLICA = 'replica'

/** Key spaces of the store. Values of the first seven are documents (`encodeDocument`). */
export const spaces = [
  'brand',
  'property',
  'publisher',
  'lookup',
  'inventory',
  'operator',
  'hosted',
  'reach',
  'identifier',
  'named',
  'claim',
  'agent',
  'operated',
  'freshness',
  'pointer',
  'event',
  'event_by_type',
  'member',
  'policy',
  'mirror',
  'origin',
  'alias',
  'crawl_request',
  'revision',
  'revision_content',
  'entry',
  'file',
  'agent_profile',
  'agent_timing',
  'agent_health',
  'portfolio',
  'meta',
] as const
export type SpaceName = (typeof spaces)[number]
/** The spaces whose values are documents. */
export const documentSpaces: ReadonlySet<SpaceName> = new Set(spaces.slice(0, 7))

export type Key = string | Buffer
/** A value to put; undefined removes the key. */
export interface Entry {
  space: SpaceName
  key: Key
  value: Buffer | undefined
}
