import { getEffect, outcomes } from '../../../pipeline/core/outcomes.ts'
import type { AgentPublishers } from '../../../pipeline/model/responses/authority.ts'
import { getMembers } from '../../../pipeline/read/lookups/members.ts'
import type { AgentFacts } from '../../../pipeline/read/queries/agent-facts.ts'
import type { Reader } from '../../../pipeline/read/reader.ts'
import type { Reply } from '../ask.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { clipText, formatCount, renderMoment, renderName } from '../html/text.tsx'
import { renderFacts, renderTable } from './blocks.tsx'
import { renderBadge } from './freshness.tsx'
import { toAgentPath, toPublisherAuthorizationPath, toPublisherPath } from './paths.ts'

export interface AgentShown {
  agent_url: string
  /** Findings of the last probe; absent where they are not for everybody. */
  facts?: AgentFacts
}

/** Tells whether what the registry learned by probing is for everybody: a member may keep it private. */
export function isForEverybody(reader: Reader, agentUrl: string): boolean {
  const enrolled = getMembers(reader).all.flatMap(({ agents }) =>
    agents.filter(({ url }) => url === agentUrl),
  )
  return enrolled.length === 0 || enrolled.some(({ visibility }) => visibility === 'public')
}

export function describeHealth({ facts }: AgentShown): Html | undefined {
  if (!facts?.outcome) return undefined
  return getEffect(facts.outcome) === 'success'
    ? renderBadge('good', 'online')
    : renderBadge('bad', 'offline')
}

export function renderHealth({ facts }: AgentShown): Html {
  if (!facts?.outcome) return <p class="empty">Nothing is known: nobody has asked it yet.</p>
  const { outcome, checked_at, took_ms, tools_count, needs_auth } = facts
  return renderFacts([
    ['Last asked', renderMoment(checked_at)],
    [
      'Result of the probe',
      getEffect(outcome) === 'success' ? 'it answered' : outcomes[outcome].means,
    ],
    ['Took', took_ms === null ? undefined : `${formatCount(took_ms)} ms`],
    ['Tools', tools_count === null ? undefined : formatCount(tools_count)],
    ['Credential', needs_auth ? 'wants one for some of it' : undefined],
  ])
}

/** Renders the publishers that authorize an agent, each with a link to the evidence. */
export function renderPublishers(
  agentUrl: string,
  total: number,
  { status, body }: Reply<AgentPublishers>,
): Html {
  const publishers = status === 200 ? body.publishers : []
  const cursor = status === 200 ? body.next_cursor : null
  return renderTable({
    caption: 'Publishers that authorize it',
    columns: ['Publisher', 'Properties', 'Found by', 'File last read', 'Evidence'],
    items: publishers,
    ...(cursor ? { total: Math.max(total, publishers.length + 1) } : {}),
    next: cursor ? `${toAgentPath(agentUrl)}?${new URLSearchParams({ cursor })}` : undefined,
    rest: `/api/v1/agents/${encodeURIComponent(agentUrl)}/publishers`,
    bytes: 24_000,
    empty: 'No publisher grants it anything now.',
    render: publisher => [
      <a href={toPublisherPath(publisher.publisher_domain)}>
        {renderName(publisher.publisher_domain)}
      </a>,
      `${formatCount(publisher.properties_authorized)} of ${formatCount(publisher.properties_total)}`,
      publisher.manager_domain === null ? (
        'its own file'
      ) : (
        <>the file of {renderName(publisher.manager_domain)}</>
      ),
      renderMoment(publisher.last_verified_at),
      <a href={toPublisherAuthorizationPath(agentUrl, publisher.publisher_domain)}>why</a>,
    ],
  })
}

export function renderCapabilities({ facts }: AgentShown): Html {
  const tools = facts?.said?.tools ?? []
  return renderTable({
    caption: 'Tools',
    columns: ['Tool', 'What it does, in the agent’s words'],
    items: tools,
    bytes: 10_000,
    empty: 'It has not told anybody what it can do.',
    render: ({ name, description }) => [
      <code>{clipText(name, 80)}</code>,
      renderName(description ?? '', 200),
    ],
  })
}
