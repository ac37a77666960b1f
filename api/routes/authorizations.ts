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
import {
  AgentAuthorizations,
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
  .meta({ description: 'comma-separated; grants are read from adagents.json alone so far' })

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
    'Grants in force, by publisher. `cursor` of a page leads to the next one; it is null on the last.',
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
    const isKept = query.evidence.includes('adagents_json')
    const { items, total } =
      snapshot && isKept
        ? await grantsOf(snapshot, { agent, after: query.cursor, limit: query.limit + 1 })
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
    const isKept = query.evidence.includes('adagents_json')
    const content = [sync['x-sync-cursor'], query.evidence.join(), query.include].join('\n')
    return {
      headers: { ...ndjsonHeaders, ...sync },
      etag: hash('sha256', content, 'base64url').slice(0, 22),
      open: response => {
        const isWanted = snapshot !== undefined && isKept
        const done = snapshot?.hold() ?? (() => undefined)
        void sendLines(response, isWanted ? allGrants(snapshot) : nothing(), {
          log: services.log,
          done,
        })
      },
    }
  },
})

async function* nothing(): AsyncGenerator<never[]> {}
