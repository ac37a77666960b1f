import { hash } from 'node:crypto'
import { z } from 'zod'
import { toIso } from '../../../pipeline/core/clock.ts'
import { refuse } from '../../../pipeline/core/errors.ts'
import { getAt } from '../../../pipeline/core/present.ts'
import { describeChoices } from '../../../pipeline/core/validation-messages.ts'
import type { OperatorSideOfGrant } from '../../../pipeline/model/operator-side.ts'
import {
  AgentAuthorizations,
  AuthorizationItem,
  type Evidence,
  evidences,
} from '../../../pipeline/model/responses/authorizations.ts'
import { findSideOfGrants } from '../../../pipeline/read/lookups/operator-sides.ts'
import {
  findAgent,
  type GrantPlace,
  listGrants,
  streamGrants,
} from '../../../pipeline/read/queries/authorizations.ts'
import { listClaims, streamClaims } from '../../../pipeline/read/queries/claim-items.ts'
import type { Reader, Snapshot } from '../../../pipeline/read/reader.ts'
import { toOperatorSide } from '../../../pipeline/resolve/operator-side.ts'
import { asOf } from '../../inputs/as-of.ts'
import { createCursor, createPageSize, encodeCursor, List } from '../../inputs/fields.ts'
import { AgentUrl } from '../../inputs/sale.ts'
import { defineOperation } from '../../operation/operation.ts'
import { buildSyncHeaders, cutPage, getSnapshot } from '../../responses/lists.ts'
import { findMeant } from '../../responses/meant-agents.ts'
import { gzippedLines, NDJSON, sendLines } from '../../responses/ndjson.ts'
import { findPast } from '../../responses/past.ts'
import { replyOk } from '../../responses/reply.ts'

const known = new Set<string>(evidences)

const evidence = List.transform((words, ctx): Evidence[] => {
  const odd = words.find(word => !known.has(word))
  if (odd !== undefined) ctx.addIssue(describeChoices(evidences))
  return words.length === 0 ? ['adagents_json'] : ([...new Set(words)].sort() as Evidence[])
}).meta({
  description:
    'Kinds of rows, separated by commas: `adagents_json` for grants of publishers, `adagents_authoritative` for ' +
    'claims of managers’ files about other publishers, which grant nothing; the other kinds ' +
    'have no rows yet',
})

const include = z
  .enum(['effective', 'raw'])
  .default('effective')
  .describe('`effective` for rows in force; `raw` is for admins')

/** Refuses overridden rows, which only admins may read. */
function refuseRaw(rows: 'effective' | 'raw'): void {
  if (rows === 'raw') refuse('forbidden', 'include=raw requires an admin of the registry')
}

/** The list, as its cursors name it. */
const LIST = 'authorizations'

const place = z.tuple([z.string(), z.string().nullable(), z.uuid()]).transform(
  ([publisher_domain, property_id_slug, id]): GrantPlace => ({
    publisher_domain,
    property_id_slug,
    id,
  }),
)

export const listAuthorizations = defineOperation({
  id: 'listAuthorizations',
  method: 'GET',
  path: '/api/registry/authorizations',
  group: 'Lookups & Authorization',
  summary: 'List an agent’s authorizations',
  description:
    'Returns grants in force, or claims, sorted by publisher. If `operator_side` is `contradicted`, the agent cannot sell as many of the properties as `properties_contradicted` says. To get the next page, pass the `cursor` of the response, which is null on the last page. With `as_of`, returns the grants in force at that time.',
  access: 'bearer',
  cache: 'private',
  queriesSnapshot: true,
  query: z.object({
    agent_url: AgentUrl,
    evidence,
    include,
    as_of: asOf,
    limit: createPageSize({ defaultSize: 1_000, max: 1_000 }),
    cursor: createCursor(LIST, place),
  }),
  reply: { 200: AgentAuthorizations },
  responseHeaders: ['X-Registry-Seq', 'X-Sync-Cursor'],
  errors: ['invalid_request', 'forbidden', 'unavailable'],
  handle: async ({ query, services }) => {
    refuseRaw(query.include)
    const past =
      query.as_of === undefined ? undefined : await findPast(services.reader, query.as_of)
    if (past && query.evidence.includes('adagents_authoritative')) {
      refuse(
        'invalid_request',
        'as_of: cannot be combined with claims, of which no history is kept; use `adagents_json`',
      )
    }
    const snapshot = past?.snapshot ?? getSnapshot(services.reader)
    const headers = buildSyncHeaders(snapshot, services)
    const agent = snapshot ? await findAgent(snapshot, query.agent_url) : query.agent_url
    const page = { agent, after: query.cursor, limit: query.limit + 1, at: past?.at }
    const { items, total } = snapshot
      ? await loadItems(snapshot, query.evidence, page)
      : { items: [], total: 0 }
    const { items: shown, hasMore } = cutPage(items, query.limit)
    const last = shown.at(-1)
    const rows = addOperatorSides(shown, past ? undefined : services.reader)
    const next_cursor =
      hasMore && last
        ? encodeCursor(LIST, [last.publisher_domain, last.property_id_slug, last.id])
        : null
    const body = {
      agent_url: agent,
      evidence: query.evidence,
      include: 'effective',
      ...(await findMeant(services.reader, agent)),
      ...(past && { as_of: toIso(past.at) }),
      rows,
      count: rows.length,
      rows_total: total,
      ...(hasMore && { rows_truncated: true }),
      has_more: hasMore,
      next_cursor,
      cursor: next_cursor,
    }
    return replyOk(body, headers)
  },
})

/** Loads grants and claims together, in the order of `GrantPlace`. */
async function loadItems(
  snapshot: Snapshot,
  evidence: readonly Evidence[],
  page: Parameters<typeof listGrants>[1],
): Promise<{ items: AuthorizationItem[]; total: number }> {
  const [grants, claims] = await Promise.all([
    evidence.includes('adagents_json') ? listGrants(snapshot, page) : none,
    evidence.includes('adagents_authoritative') ? listClaims(snapshot, page) : none,
  ])
  const items = [...grants.items, ...claims.items].sort(compareGrants).slice(0, page.limit)
  return { items, total: grants.total + claims.total }
}

const none = { items: [], total: 0 }

/** Adds to each grant what the agent's operator says about it; without a reader it is a grant of the past. */
function addOperatorSides(
  items: readonly AuthorizationItem[],
  reader: Reader | undefined,
): AuthorizationItem[] {
  const known = new Map<string, OperatorSideOfGrant>()
  return items.map(item => {
    if (item.evidence !== 'adagents_json') return item
    const { publisher_domain, agent_url } = item
    const side =
      known.get(publisher_domain) ??
      (reader
        ? findSideOfGrants(reader, agent_url, publisher_domain)
        : toOperatorSide('not_recorded'))
    known.set(publisher_domain, side)
    return { ...item, ...side }
  })
}

function compareGrants(a: AuthorizationItem, b: AuthorizationItem): number {
  const place = ({ publisher_domain, property_id_slug: slug, id }: AuthorizationItem) => [
    publisher_domain,
    slug === null ? '1' : '0',
    slug ?? '',
    id,
  ]
  const [left, right] = [place(a), place(b)]
  const first = left.findIndex((part, index) => part !== right[index])
  return first < 0 ? 0 : getAt(left, first) < getAt(right, first) ? -1 : 1
}

export const snapshotAuthorizations = defineOperation({
  id: 'snapshotAuthorizations',
  method: 'GET',
  path: '/api/registry/authorizations/snapshot',
  group: 'Lookups & Authorization',
  summary: 'Stream all authorizations in force',
  description:
    'Returns gzipped NDJSON to start a copy from; then read the feed from the `X-Sync-Cursor`. The first events may repeat what the snapshot contains, but none is missing. Like the feed, the snapshot shows what publishers grant; only the lookups show whether operators agree.',
  access: 'bearer',
  cache: 'private',
  query: z.object({
    agent_url: AgentUrl.optional().describe('Only the authorizations of this agent'),
    evidence,
    include,
  }),
  reply: { 200: { type: NDJSON, item: AuthorizationItem } },
  responseHeaders: ['ETag', 'X-Registry-Seq', 'X-Sync-Cursor'],
  errors: ['invalid_request', 'forbidden'],
  handle: ({ query, services }) => {
    refuseRaw(query.include)
    const snapshot = getSnapshot(services.reader)
    const sync = buildSyncHeaders(snapshot, services)
    // A claim has no events: only the commit shows that one has changed.
    const claimsAt = query.evidence.includes('adagents_authoritative') ? snapshot?.seq : undefined
    const options = [query.evidence.join(), query.include, query.agent_url]
    const content = [sync['x-sync-cursor'], ...options, claimsAt].join('\n')
    return {
      headers: { ...gzippedLines, ...sync },
      etag: hash('sha256', content, 'base64url').slice(0, 22),
      open: response => {
        const done = snapshot?.hold() ?? (() => undefined)
        void sendLines(response, streamAll(snapshot, query), {
          log: services.log,
          done,
        })
      },
    }
  },
})

interface StreamQuery {
  agent_url?: string | undefined
  evidence: readonly Evidence[]
}

async function* streamAll(
  snapshot: Snapshot | undefined,
  { agent_url, evidence }: StreamQuery,
): AsyncGenerator<AuthorizationItem[]> {
  if (snapshot === undefined) return
  const agent = agent_url === undefined ? undefined : await findAgent(snapshot, agent_url)
  for (const stream of [
    ...(evidence.includes('adagents_json') ? [streamGrants(snapshot)] : []),
    ...(evidence.includes('adagents_authoritative') ? [streamClaims(snapshot)] : []),
  ]) {
    for await (const items of stream) {
      yield agent === undefined ? items : items.filter(item => item.agent_url === agent)
    }
  }
}
