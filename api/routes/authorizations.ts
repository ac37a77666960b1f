import { hash } from 'node:crypto'
import { z } from 'zod'
import { agentUrlKey } from '../../pipeline/core/agent-url.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import {
  agentNamed,
  allGrants,
  type GrantPlace,
  grantsOf,
} from '../../pipeline/index/queries/authorizations.ts'
import { allClaims, claimsOf } from '../../pipeline/index/queries/claim-items.ts'
import type { Snapshot } from '../../pipeline/index/reader.ts'
import {
  AgentAuthorizations,
  type AuthorizationItem,
  type Evidence,
  evidences,
} from '../../pipeline/model/answers-authorizations.ts'
import { cursorOf, cursorText, whole } from '../fields.ts'
import { pageOf, syncHeaders } from '../lists.ts'
import { ndjsonHeaders, sendLines } from '../ndjson.ts'
import { operation } from '../operation.ts'
import { ok } from '../reply.ts'

const known = new Set<string>(evidences)

const evidence = z
  .string()
  .default('')
  .transform((text, ctx): Evidence[] => {
    const asked = text
      .split(',')
      .map(word => word.trim())
      .filter(word => word !== '')
    const odd = asked.find(word => !known.has(word))
    if (odd !== undefined) ctx.addIssue(`must be some of ${evidences.join(', ')}`)
    return asked.length === 0 ? ['adagents_json'] : ([...new Set(asked)].sort() as Evidence[])
  })
  .meta({
    description:
      'comma-separated. `adagents_json`: what publishers grant. `adagents_authoritative`: what managers’ ' +
      'files claim for other publishers, of which nothing is granted. The others name no rows so far',
  })

const include = z.enum(['effective', 'raw']).default('effective')

/** What was overridden is for administrators, whom no credential names yet. */
function refuseRaw(asked: 'effective' | 'raw'): void {
  if (asked === 'raw') refuse('forbidden', 'include=raw is for administrators of the registry')
}

const agentUrl = z
  .string()
  .transform((text, ctx): string => {
    const key = text.trim() === '*' ? '*' : agentUrlKey(text)
    if (key !== undefined) return key
    ctx.addIssue('must be the address of an agent, such as https://agent.example/mcp')
    return z.NEVER
  })
  .meta({ examples: ['https://agent.example/mcp'] })

const place = z.tuple([z.string(), z.string().nullable(), z.uuid()]).transform(
  ([publisher_domain, property_id_slug, id]): GrantPlace => ({
    ...{ publisher_domain, property_id_slug, id },
  }),
)

export const listAuthorizations = operation({
  id: 'listAuthorizations',
  method: 'GET',
  path: '/api/registry/authorizations',
  group: 'Lookups & Authorization',
  summary: 'What an agent was granted',
  description:
    'Grants in force, or claims, by publisher. `cursor` of a page leads to the next one; it is null on the last.',
  access: 'bearer',
  cache: 'private',
  query: z.object({
    agent_url: agentUrl,
    evidence,
    include,
    limit: whole({ min: 1, max: 1_000, default: 1_000, clamp: true }),
    cursor: cursorOf(place),
  }),
  reply: { 200: AgentAuthorizations },
  errors: ['invalid_request', 'forbidden', 'unavailable'],
  handle: async ({ query, services }) => {
    refuseRaw(query.include)
    const { snapshot } = services.reader
    const headers = syncHeaders(snapshot, services)
    const agent = snapshot ? await agentNamed(snapshot, query.agent_url) : query.agent_url
    const asked = { agent, after: query.cursor, limit: query.limit + 1 }
    const { items, total } = snapshot
      ? await rowsOf(snapshot, query.evidence, asked)
      : { items: [], total: 0 }
    const { items: rows, hasMore } = pageOf(items, query.limit)
    const last = rows.at(-1)
    const body = {
      agent_url: agent,
      evidence: query.evidence,
      include: 'effective',
      rows,
      count: rows.length,
      rows_total: total,
      ...(hasMore && { rows_truncated: true }),
      cursor:
        hasMore && last
          ? cursorText([last.publisher_domain, last.property_id_slug, last.id])
          : null,
    }
    return ok(body, headers)
  },
})

/** Grants and claims together in their order, which is that of `GrantPlace`. */
async function rowsOf(
  snapshot: Snapshot,
  evidence: readonly Evidence[],
  asked: Parameters<typeof grantsOf>[1],
): Promise<{ items: AuthorizationItem[]; total: number }> {
  const [grants, claims] = await Promise.all([
    evidence.includes('adagents_json') ? grantsOf(snapshot, asked) : none,
    evidence.includes('adagents_authoritative') ? claimsOf(snapshot, asked) : none,
  ])
  const items = [...grants.items, ...claims.items].sort(inOrder).slice(0, asked.limit)
  return { items, total: grants.total + claims.total }
}

const none = { items: [], total: 0 }

function inOrder(a: AuthorizationItem, b: AuthorizationItem): number {
  const place = ({ publisher_domain, property_id_slug: slug, id }: AuthorizationItem) => [
    ...[publisher_domain, slug === null ? '1' : '0', slug ?? '', id],
  ]
  const [left, right] = [place(a), place(b)]
  const first = left.findIndex((part, index) => part !== right[index])
  return first < 0 ? 0 : left[first]! < right[first]! ? -1 : 1
}

export const snapshotAuthorizations = operation({
  id: 'snapshotAuthorizations',
  method: 'GET',
  path: '/api/registry/authorizations/snapshot',
  group: 'Lookups & Authorization',
  summary: 'Every grant in force, a line each',
  description:
    'Gzipped NDJSON to begin a replica with: read the feed on from `X-Sync-Cursor`. Events may tell ' +
    'again what is in it; none is missing.',
  access: 'bearer',
  cache: 'private',
  query: z.object({ evidence, include }),
  reply: { 200: { type: ndjsonHeaders['content-type'] } },
  errors: ['invalid_request', 'forbidden'],
  handle: ({ query, services }) => {
    refuseRaw(query.include)
    const { snapshot } = services.reader
    const sync = syncHeaders(snapshot, services)
    const content = [sync['x-sync-cursor'], query.evidence.join(), query.include].join('\n')
    return {
      headers: { ...ndjsonHeaders, ...sync },
      etag: hash('sha256', content, 'base64url').slice(0, 22),
      open: response => {
        const done = snapshot?.hold() ?? (() => undefined)
        void sendLines(response, allOf(snapshot, query.evidence), {
          log: services.log,
          done,
        })
      },
    }
  },
})

async function* allOf(
  snapshot: Snapshot | undefined,
  evidence: readonly Evidence[],
): AsyncGenerator<AuthorizationItem[]> {
  if (snapshot === undefined) return
  if (evidence.includes('adagents_json')) yield* allGrants(snapshot)
  if (evidence.includes('adagents_authoritative')) yield* allClaims(snapshot)
}
