import { toJsonValue } from './document-value.ts'
import { CHAIN, type Entry, MEMBERS_CHANGED, POSITION, type SpaceName } from './spaces.ts'

/**
 * Spaces that are copied to replicas unchanged: their values are public, or derived from what a snapshot
 * contains.
 */
const publishedWhole = [
  'brand',
  'property',
  'publisher',
  'lookup',
  'inventory',
  'operator',
  'hosted',
  'reach',
  'identifier',
  'claim',
  'agent',
  'operated',
  'freshness',
  'pointer',
  'event',
  'event_by_type',
  'policy',
  'mirror',
  'alias',
  'entry',
  'revision',
  'file',
  'agent_profile',
  'agent_timing',
  'agent_health',
  'member',
  'origin',
] as const satisfies readonly SpaceName[]

/** Spaces of which only the public part is copied to replicas. */
const publishedPartly = ['revision_content', 'meta'] as const satisfies readonly SpaceName[]

/** Spaces that no segment has, for a replica derives them: from pairs of identifiers, and brands that name a house. */
export const derivedSpaces = ['named', 'portfolio'] as const satisfies readonly SpaceName[]

/** Spaces whose entries leave this host, in the order in which a base has them. */
export const publishedSpaces: readonly SpaceName[] = [...publishedWhole, ...publishedPartly]

const wholeSpaces: ReadonlySet<SpaceName> = new Set(publishedWhole)
const replicated: ReadonlySet<SpaceName> = new Set([...publishedSpaces, ...derivedSpaces])
const publicMeta: ReadonlySet<unknown> = new Set([
  'seq',
  'format',
  MEMBERS_CHANGED,
  CHAIN,
  POSITION,
])

/** Tells whether a replica holds a space. All others are private: a new space is, until it is named here. */
export function isReplicated(space: SpaceName): boolean {
  return replicated.has(space)
}

/** Returns the public part of an entry; undefined where it is private as a whole, or derived. */
export function toPublicEntry(entry: Entry): Entry | undefined {
  const { space, key, value } = entry
  if (wholeSpaces.has(space)) return entry
  if (space === 'meta') return publicMeta.has(key) ? entry : undefined
  if (space === 'revision_content') return { space, key, value: value && toPublicContent(value) }
  return undefined
}

/** Keeps no content that was never approved: what is shown of a revision was live with it. */
function toPublicContent(value: Buffer): Buffer {
  const { status, content } = JSON.parse(value.toString())
  return toJsonValue({ status, content: status === 'live' ? content : null })
}
