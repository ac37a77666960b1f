import type { Limits } from '../core/limits.ts'
import { type Outcome, pickDecisive } from '../core/outcomes.ts'
import { getFirst, requireValue } from '../core/present.ts'
import { parseUrl } from '../core/url.ts'
import type { Fetcher, FetchResult } from '../fetch/http.ts'
import type { AgentCard, AgentTool } from '../model/documents/index.ts'
import { clip } from '../parse/clip.ts'
import { truncate } from '../parse/faults.ts'
import { isObject, type JsonObject } from '../parse/object-reader.ts'
import { toBase } from './mcp/endpoints.ts'
import { isOfHost } from './mcp/failure.ts'
import { readObject } from './mcp/message.ts'
import type { TimeBudget } from './mcp/session.ts'

export interface CardFound {
  card: AgentCard
  /** Address at which it was found. */
  address: string
  /** Ids of its skills. */
  tools: AgentTool[]
}

/** No usable card. Only with the outcome `absent` is it certain that the agent has none. */
export interface CardMissing {
  outcome: Outcome
  /** Completes a sentence about the agent. */
  detail: string
  status?: number
  /** Fault of the card that is there. */
  fault?: string
}

export type CardRead = CardFound | CardMissing

const SKILLS_MAX = 500
const ID = /^[\w.:/-]{1,128}$/

/** Reads the card of an agent that speaks A2A, from its place below the agent's address. */
export async function readCard(
  address: string,
  deps: { fetcher: Pick<Fetcher, 'fetchDocument'>; limits: Limits },
): Promise<CardRead> {
  const base = toBase(address)
  const time = { remainingMs: deps.limits.agentCardMs }
  const missing: CardMissing[] = []
  for (const name of ['agent-card.json', 'agent.json']) {
    const url = new URL(base)
    url.pathname = `${base.pathname.replace(/\/$/, '')}/.well-known/${name}`
    const read = readCardFile(url.href, await fetchCard(url.href, time, deps))
    if ('card' in read) return read
    missing.push(read)
    if (isOfHost(read)) break
  }
  const [first, ...others] = missing
  return pickDecisive(requireValue(first, 'place of a card'), ...others)
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
    const { outcome, detail, status } = fetched
    return { outcome, detail, ...(status !== undefined && { status }) }
  }
  if (fetched.kind !== 'ok') return { outcome: 'http_error', detail: 'answered 304', status: 304 }
  const type = getFirst((fetched.contentType ?? '').split(';'))
    .trim()
    .toLowerCase()
  if (type.includes('html')) return { outcome: 'not_json', detail: 'answers with a web page' }
  const card = readObject(fetched.body)
  if (card === undefined) return toFault('is not a JSON object')
  if (type !== 'application/json' && !type.endsWith('+json')) {
    return toFault('must be served as application/json')
  }
  if (typeof card.name !== 'string') return toFault('has no name, so it is not an agent card')
  return buildCard(address, card)
}

function toFault(fault: string): CardMissing {
  return { outcome: 'unusable', detail: 'answers with something that is not an agent card', fault }
}

function buildCard(address: string, card: JsonObject): CardFound {
  const name = clip(card.name, 200)
  const description = clip(card.description, 2_000)
  const url =
    typeof card.url === 'string' && parseUrl(card.url) ? truncate(card.url, 2_048) : undefined
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
