import { toAgentUrlKey } from '../../core/agent-url.ts'
import { isUrl } from '../../model/observation.ts'
import {
  Declarations,
  type Declared,
  type Operator,
  resolveOperator,
} from '../../resolve/operator.ts'
import type { OperatorSide } from '../../resolve/operator-side.ts'
import { hashKey, toAgentKey } from '../../serving/keys.ts'
import type { ServingStore } from '../../serving/lmdb.ts'
import { declareCache } from '../cache/caches.ts'
import { CommitCache } from '../cache/commit-cache.ts'
import { DocumentCache } from '../cache/document-cache.ts'
import type { Reader } from '../reader.ts'
import { isOwnSite } from './first-party.ts'
import { findFreshness } from './stored.ts'

/** A known agent: it has a grant, or a brand.json names it. */
export interface KnownAgent {
  agent_url: string
  publisher_count: number
  /** Active properties that it reaches. */
  property_count: number
  operator: Operator | null
  /**
   * True if its operator's brand.json declares no properties; set when it is first looked up, and cached with
   * the agent.
   */
  isSilent?: boolean
}

/**
 * Finds the agent at an address: by its exact key, else the first whose key differs only in case. For an
 * unknown address it returns an agent without grants, with the operator that its site suggests.
 */
export function findAgent(reader: Reader, agentUrl: string): KnownAgent {
  const store = reader.serving
  if (store === undefined) return toUnknownAgent(agentUrl)
  return agents(reader).get(
    store,
    agentUrl,
    () => findStoredAgent(store, agentUrl) ?? toUnknownAgent(agentUrl),
  )
}

const AGENTS_BYTES_MAX = 8 * 1024 * 1024
/** Bytes of an agent in the cache, in addition to its address. */
const AGENT_BYTES = 300
const agents = declareCache(
  () =>
    new CommitCache<KnownAgent>(
      AGENTS_BYTES_MAX,
      ({ agent_url }) => agent_url.length + AGENT_BYTES,
    ),
)

function findStoredAgent(store: ServingStore, agentUrl: string): KnownAgent | undefined {
  const stored =
    store.text('agent', toAgentKey(agentUrl)) ?? findIgnoringCase(store, agentUrl)?.toString()
  return stored === undefined ? undefined : JSON.parse(stored)
}

function toUnknownAgent(agentUrl: string): KnownAgent {
  const operator = toAgentUrlKey(agentUrl) === undefined ? undefined : resolveOperator(agentUrl, [])
  return { agent_url: agentUrl, publisher_count: 0, property_count: 0, operator: operator ?? null }
}

function findIgnoringCase(store: ServingStore, agentUrl: string): Buffer | undefined {
  const [foldedHash = ''] = toAgentKey(agentUrl).split(' ')
  const found = [...store.range('agent', foldedHash)].map(({ value }) => Buffer.from(value))
  return found.sort(Buffer.compare)[0]
}

const DECLARATIONS_BYTES_MAX = 16 * 1024 * 1024
const declarations = declareCache(
  () =>
    new DocumentCache(
      'operator',
      DECLARATIONS_BYTES_MAX,
      json => new Declarations((json as (Declared & { store: string | null })[]).map(omitNull)),
    ),
)
const noDeclarations = new Declarations([])

function omitNull({ store, ...declared }: Declared & { store: string | null }): Declared {
  return store === null ? declared : { ...declared, store }
}

/** Finds the properties that the brand.json behind an agent declares; a valid file may declare none. */
export function findOperatorSide(reader: Reader, { operator }: KnownAgent): OperatorSide {
  if (operator === null) return { operator: undefined, declared: undefined }
  const { location, names_agent } = operator
  const store = reader.serving
  if (store === undefined) return { operator, declared: names_agent ? noDeclarations : undefined }
  const state = declarationStates(reader).get(store, location, () =>
    readDeclarationState(reader, store, location),
  )
  if (state === 'something') {
    const declared = declarations(reader).get(store, hashKey(location))
    return { operator, declared, ownsSite: publisher => isOwnSite(reader, operator, publisher) }
  }
  return { operator, declared: names_agent || state === 'nothing' ? noDeclarations : undefined }
}

/** Tells whether the brand.json behind an agent, if there is one, declares no properties. */
export function isOperatorSilent({ serving }: Reader, agent: KnownAgent): boolean {
  const { operator } = agent
  if (operator === null) return true
  agent.isSilent ??= !serving?.has('operator', hashKey(operator.location))
  return agent.isSilent
}

/**
 * State of the declarations in a brand.json: it declares properties, or `nothing`; `unread` if no valid file
 * is known.
 */
type DeclarationState = 'something' | 'nothing' | 'unread'

const STATES_BYTES_MAX = 4 * 1024 * 1024
const STATE_BYTES = 200
const declarationStates = declareCache(
  () => new CommitCache<DeclarationState>(STATES_BYTES_MAX, () => STATE_BYTES),
)

function readDeclarationState(
  reader: Reader,
  store: ServingStore,
  location: string,
): DeclarationState {
  if (store.has('operator', hashKey(location))) return 'something'
  return !isUrl(location) && isRead(reader, location) ? 'nothing' : 'unread'
}

/** Lists the properties that the brand.json of a domain declares. */
export function listDeclared(reader: Reader, location: string): readonly Declared[] {
  const store = reader.serving
  return (store && declarations(reader).get(store, hashKey(location))?.all) ?? []
}

/** Tells whether a file was ever read, however long ago. */
function isRead(reader: Reader, domain: string): boolean {
  const { state } = findFreshness(reader, 'brand.json', domain)
  return state === 'current' || state === 'stale'
}
