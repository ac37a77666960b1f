import type { Limits } from '../core/limits.ts'
import { getFirst } from '../core/present.ts'
import { parseUrl } from '../core/url.ts'
import type { Fetcher, FetchResult } from '../fetch/http.ts'
import type { AgentCard, AgentTool } from '../model/documents/index.ts'
import { clip } from '../parse/clip.ts'
import { isObject, type JsonObject } from '../parse/object-reader.ts'
import { toBase } from './mcp/endpoints.ts'
import { readObject } from './mcp/message.ts'
import type { TimeBudget } from './mcp/session.ts'

export interface CardFound {
  card: AgentCard
  /** Address at which it was found. */
  address: string
  /** Ids of its skills. */
  tools: AgentTool[]
}

/** `absent`: the agent has no card; `failed`: it could not be determined. */
export type CardRead = CardFound | 'absent' | 'failed' | { fault: string }

const SKILLS_MAX = 500
const ID = /^[\w.:/-]{1,128}$/

/** Reads the card of an agent that speaks A2A, from its place below the agent's address. */
export async function readCard(
  address: string,
  deps: { fetcher: Pick<Fetcher, 'fetchDocument'>; limits: Limits },
): Promise<CardRead> {
  const base = toBase(address)
  const time = { remainingMs: deps.limits.agentCardMs }
  let worst: CardRead = 'absent'
  for (const name of ['agent-card.json', 'agent.json']) {
    const url = new URL(base)
    url.pathname = `${base.pathname.replace(/\/$/, '')}/.well-known/${name}`
    const read = readCardFile(url.href, await fetchCard(url.href, time, deps))
    if (isObject(read) && 'card' in read) return read
    if (worst === 'absent') worst = read
    if (read === 'failed') break
  }
  return worst
}

async function fetchCard(
  url: string,
  time: TimeBudget,
  { fetcher, limits }: { fetcher: Pick<Fetcher, 'fetchDocument'>; limits: Limits },
): Promise<FetchResult> {
  const started = performance.now()
  const fetched = await fetcher.fetchDocument(url, {
    maxBytes: limits.agentAnswerBytes,
    deadlineMs: Math.max(1, Math.ceil(time.remainingMs)),
    redirects: 'none',
    maxRedirects: 0,
    allow: { anyPort: true },
  })
  time.remainingMs -= performance.now() - started
  return fetched
}

function readCardFile(address: string, fetched: FetchResult): CardRead {
  if (fetched.kind === 'failed') {
    const isSure = fetched.status !== undefined && fetched.status < 500 && fetched.status !== 429
    return isSure ? 'absent' : 'failed'
  }
  if (fetched.kind !== 'ok') return 'failed'
  const type = getFirst((fetched.contentType ?? '').split(';'))
    .trim()
    .toLowerCase()
  if (type.includes('html')) return 'absent'
  const card = readObject(fetched.body)
  if (card === undefined) return { fault: 'is not a JSON object' }
  if (type !== 'application/json' && !type.endsWith('+json')) {
    return { fault: 'must be served as application/json' }
  }
  if (typeof card.name !== 'string') return { fault: 'has no name, so it is not an agent card' }
  return buildCard(address, card)
}

function buildCard(address: string, card: JsonObject): CardFound {
  const name = clip(card.name, 200)
  const description = clip(card.description, 2_000)
  const url =
    typeof card.url === 'string' && parseUrl(card.url) ? card.url.slice(0, 2_048) : undefined
  return {
    address,
    card: {
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description }),
      ...(url !== undefined && { url }),
    },
    tools: readSkills(card),
  }
}

function readSkills(card: JsonObject): AgentTool[] {
  const list = [card.skills, card.tools, card.capabilities].find(Array.isArray) ?? []
  const tools = new Map<string, AgentTool>()
  for (const skill of (list as unknown[]).slice(0, SKILLS_MAX)) {
    if (!isObject(skill)) continue
    const name = skill.id ?? skill.name
    const description = clip(skill.description, 2_000)
    if (typeof name !== 'string' || !ID.test(name)) continue
    tools.set(name, { name, ...(description !== undefined && { description }) })
  }
  return [...tools.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}
