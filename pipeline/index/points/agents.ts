import { agentUrlKey } from '../../core/agent-url.ts'
import { isUrl } from '../../model/observation.ts'
import type { Operating } from '../../resolve/authority.ts'
import { Declarations, type Declared, type Operator, operatorOf } from '../../resolve/operator.ts'
import type { Reader } from '../reader.ts'
import type { ServingStore } from '../serving.ts'
import { agentKey, hashOf } from '../serving-keys.ts'
import { Parsed } from './parsed.ts'
import { SinceCommit } from './since-commit.ts'
import { freshnessOf } from './stored.ts'

/** An agent as it is known: granted something, or named by a brand.json. */
export interface KnownAgent {
  agent_url: string
  publisher_count: number
  operator: Operator | null
  /** Whether its operator is silent, once that was looked up: known for as long as the agent is. */
  isSilent?: boolean
}

/**
 * The agent that an address means: the one of that very key, else the first that differs from it in
 * nothing but case. Nobody knows the agent when nothing is found; it has a site all the same.
 */
export function findAgent(reader: Reader, agentUrl: string): KnownAgent {
  const store = reader.serving
  if (store === undefined) return strangerOf(agentUrl)
  return asked.get(store, agentUrl, () => storedAgent(store, agentUrl) ?? strangerOf(agentUrl))
}

const ASKED_BYTES = 8 * 1024 * 1024
/** What an agent takes beside its address. */
const AGENT_BYTES = 300
const asked = new SinceCommit<KnownAgent>(
  ASKED_BYTES,
  ({ agent_url }) => agent_url.length + AGENT_BYTES,
)

function storedAgent(store: ServingStore, agentUrl: string): KnownAgent | undefined {
  const stored = store.text('agent', agentKey(agentUrl)) ?? likeIn(store, agentUrl)?.toString()
  return stored === undefined ? undefined : JSON.parse(stored)
}

function strangerOf(agentUrl: string): KnownAgent {
  const operator = agentUrlKey(agentUrl) === undefined ? undefined : operatorOf(agentUrl, [])
  return { agent_url: agentUrl, publisher_count: 0, operator: operator ?? null }
}

function likeIn(store: ServingStore, agentUrl: string): Buffer | undefined {
  const [like] = agentKey(agentUrl).split(' ')
  const found = [...store.range('agent', like!)].map(({ value }) => Buffer.from(value))
  return found.sort(Buffer.compare)[0]
}

const KEPT_BYTES = 16 * 1024 * 1024
const parsed = new Parsed(
  'operator',
  KEPT_BYTES,
  json => new Declarations((json as (Declared & { store: string | null })[]).map(withoutNull)),
)
const silent = new Declarations([])

function withoutNull({ store, ...declared }: Declared & { store: string | null }): Declared {
  return store === null ? declared : { ...declared, store }
}

/** What the brand.json behind an agent declares. One that stands and lists no property is silent. */
export function operatingOf(reader: Reader, { operator }: KnownAgent): Operating {
  if (operator === null) return { operator: undefined, declared: undefined }
  const { location, names_agent } = operator
  const store = reader.serving
  if (store === undefined) return { operator, declared: names_agent ? silent : undefined }
  const says = words.get(store, location, () => wordOf(reader, store, location))
  if (says === 'something') return { operator, declared: parsed.get(store, hashOf(location)) }
  return { operator, declared: names_agent || says === 'nothing' ? silent : undefined }
}

/** Whether nothing is declared of any property by the brand.json behind an agent, if there is one. */
export function operatorIsSilent({ serving }: Reader, agent: KnownAgent): boolean {
  const { operator } = agent
  if (operator === null) return true
  agent.isSilent ??= !serving?.has('operator', hashOf(operator.location))
  return agent.isSilent
}

/** What a brand.json says of properties; `unread`: as far as is known no such file stands. */
type Word = 'something' | 'nothing' | 'unread'

const WORDS_BYTES = 4 * 1024 * 1024
const WORD_BYTES = 200
const words = new SinceCommit<Word>(WORDS_BYTES, () => WORD_BYTES)

function wordOf(reader: Reader, store: ServingStore, location: string): Word {
  if (store.has('operator', hashOf(location))) return 'something'
  return !isUrl(location) && isRead(reader, location) ? 'nothing' : 'unread'
}

/** What the brand.json of a domain declares of properties. */
export function declaredAt(reader: Reader, location: string): readonly Declared[] {
  const store = reader.serving
  return (store && parsed.get(store, hashOf(location))?.all) ?? []
}

/** What was read once is read, however long ago: the clock does not count. */
function isRead(reader: Reader, domain: string): boolean {
  const { state } = freshnessOf(reader, 'brand.json', domain)
  return state === 'current' || state === 'stale'
}
