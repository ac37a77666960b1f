import {
  ANY_KEY,
  MEMBERS_KEY,
  MIRRORS_KEY,
  NAMING_KEY,
  POLICIES_KEY,
  type SubjectKind,
  toSurrogateKey,
} from '../core/surrogate-keys.ts'
import type { Entry, SpaceName } from './spaces.ts'

/** Lists what else than `any` is purged when an entry with this key is written; undefined where nothing is. */
type ListKeys = ((key: string) => readonly string[]) | undefined

const getPart = (key: string, part: number) => key.split(' ', part + 1)[part] ?? ''
const keyed =
  (kind: SubjectKind, part = 0): ListKeys =>
  key => [toSurrogateKey(kind, getPart(key, part))]
const anyAlone: ListKeys = () => []
/** Keys that begin with a kind, of a domain or of the hash of an address. */
const located: ListKeys = key => {
  const location = getPart(key, 1)
  return [toSurrogateKey(location.includes('.') ? 'domain' : 'file', location)]
}
/** Keys that begin with an entity. */
const revised: ListKeys = key =>
  getPart(key, 0) === 'policy' ? [POLICIES_KEY] : [toSurrogateKey('domain', getPart(key, 1))]

/**
 * Keys that are purged when an entry of a space is written, or a file begins to answer something else. Spaces without
 * keys change in a night without changes: what they tell of cached answers lapses.
 */
const purged: Readonly<Record<SpaceName, ListKeys>> = {
  brand: keyed('domain'),
  property: keyed('domain'),
  publisher: keyed('domain'),
  lookup: keyed('domain'),
  inventory: keyed('domain'),
  claim: keyed('domain'),
  origin: keyed('domain'),
  hosted: keyed('domain', 1),
  entry: revised,
  revision: revised,
  revision_content: revised,
  file: located,
  pointer: located,
  operator: keyed('file'),
  operated: () => [NAMING_KEY],
  // By the address in lower case, and by its own.
  agent: key => [
    toSurrogateKey('agent', getPart(key, 0)),
    toSurrogateKey('agent', getPart(key, 1)),
  ],
  reach: keyed('agent'),
  identifier: keyed('identifier'),
  policy: () => [POLICIES_KEY],
  mirror: () => [MIRRORS_KEY],
  member: () => [MEMBERS_KEY],
  agent_profile: anyAlone,
  alias: anyAlone,
  event: anyAlone,
  event_by_type: anyAlone,
  named: anyAlone,
  portfolio: anyAlone,
  freshness: key => {
    const [kind = '', hash] = key.split(' ')
    return [
      toSurrogateKey(
        hash === undefined ? 'domain' : kind === 'agent' ? 'agent' : 'file',
        hash ?? kind,
      ),
    ]
  },
  meta: undefined,
  crawl_request: undefined,
  agent_timing: undefined,
  agent_health: undefined,
}

/** Lists the keys of cached answers that an entry changes. */
export function listPurgedKeys({ space, key }: Pick<Entry, 'space' | 'key'>): readonly string[] {
  const list = purged[space]
  if (list === undefined) return []
  return typeof key === 'string' ? [ANY_KEY, ...list(key)] : [ANY_KEY]
}
