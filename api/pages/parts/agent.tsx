import type { Instant } from '../../../pipeline/core/clock.ts'
import { countThings, formatCount } from '../../../pipeline/core/counts.ts'
import { beginSentence } from '../../../pipeline/core/error-sentence.ts'
import { getEffect } from '../../../pipeline/core/outcomes.ts'
import type { AgentPublishers } from '../../../pipeline/model/responses/authority.ts'
import type { AgentCompliance } from '../../../pipeline/model/responses/compliance.ts'
import { describeOffline, type ProbedAgent } from '../../../pipeline/read/lookups/agent-profiles.ts'
import type { AgentRow } from '../../../pipeline/read/queries/directories.ts'
import type { Reader } from '../../../pipeline/read/reader.ts'
import { buildPublisherPages, type PublishersQuery } from '../agent-publisher-pages.ts'
import type { Reply } from '../ask.ts'
import { agentChoices } from '../directory-choices.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import {
  clipText,
  renderExactMoment,
  renderMoment,
  renderName,
  toContractions,
} from '../html/text.tsx'
import { findUptime, renderHealthChanges, renderHealthHistory } from './agent-health.tsx'
import {
  LATER_ROWS_OPEN,
  ROWS_OPEN,
  renderFacts,
  renderTable,
  renderTiles,
  type Tile,
} from './blocks.tsx'
import { describeTests } from './compliance.tsx'
import { findFaces } from './faces.tsx'
import { renderBadge } from './freshness.tsx'
import { renderOperatorSide } from './operator-side.tsx'
import { toPublisherAuthorizationPath, toPublisherPath } from './paths.ts'
import { renderStale } from './stale.tsx'

export interface AgentShown {
  agent_url: string
  /** Findings of the last probe; absent on a page about the past. */
  probed?: ProbedAgent
}

type AgentState = AgentRow['state']

const stateLooks = { online: 'good', offline: 'bad', unchecked: 'none' } as const

/** Finds whether an agent answered when it was last checked. */
function findState(outcome: ProbedAgent['outcome']): AgentState {
  if (outcome === undefined) return 'unchecked'
  return getEffect(outcome) === 'success' ? 'online' : 'offline'
}

/** Renders whether an agent answers, as the directory and the page of the agent call it. */
export function renderAgentState(state: AgentState): Html {
  return renderBadge(stateLooks[state], agentChoices.fields.state.words[state])
}

/** Renders the state of an agent that was probed, for a list. */
export function renderProbedState({ outcome }: ProbedAgent): Html {
  return renderAgentState(findState(outcome))
}

/** Spells the type of an agent for the line below its name; nothing where it is not known. */
export function describeAgentType(type: AgentRow['type'] | undefined): string {
  return type === undefined || type === 'unknown'
    ? ''
    : ` · ${agentChoices.fields.type.words[type].toLowerCase()}`
}

/** Renders whether an agent answers, whether it is verified and how its tests went. */
export function renderStatus(
  { probed }: AgentShown,
  { verified_badges: badges, ...tests }: AgentCompliance,
  now: Instant,
): Html {
  const { checked_at, took_ms, health = [] } = probed ?? {}
  const state = findState(probed?.outcome)
  const isOnline = state === 'online'
  const reason = probed && describeOffline(probed)
  const uptime = findUptime(health, now)
  return renderTiles([
    {
      label: 'State',
      value: agentChoices.fields.state.words[state],
      note: checked_at && (
        <>
          {reason === undefined ? null : `${toContractions(beginSentence(reason))}, `}
          {renderMoment(checked_at)}
          {isOnline && took_ms !== undefined ? `, ${formatCount(took_ms)} ms` : ''}
        </>
      ),
      look: stateLooks[state],
    },
    uptime && {
      label: 'Uptime',
      value: uptime.text,
      note: <>since {renderExactMoment(uptime.since)}</>,
    },
    {
      label: 'Badge',
      value: badges.length > 0 ? 'Verified' : 'None',
      note: badges.length > 0 ? badges.map(({ role }) => role).join(', ') : undefined,
      look: badges.length > 0 ? 'good' : 'none',
    },
    {
      label: 'Tests',
      ...describeTile(tests),
    },
  ])
}

/** Describes how the tests of an agent went: what failed is the news, and bad where nothing passed. */
function describeTile(tests: Omit<AgentCompliance, 'verified_badges'>): Omit<Tile, 'label'> {
  const { storyboards_total: total, storyboards_passing: passing, last_checked_at } = tests
  if (total === 0) return { value: 'No results', look: 'none' }
  const { news, rest } = describeTests(tests)
  return {
    value: news,
    note: (
      <>
        {rest.join(', ')}
        {last_checked_at === null ? null : (
          <>
            {rest.length > 0 ? ' · ' : null}
            {renderMoment(last_checked_at)}
          </>
        )}
      </>
    ),
    look: passing === total ? 'good' : passing === 0 ? 'bad' : 'fair',
  }
}

/** Renders how an agent has answered, as far as the tiles leave something to say. */
export function renderHealth({ probed }: AgentShown, now: Instant): Html | null {
  if (!probed?.outcome)
    return <p class="empty">Not checked yet. The first check follows within minutes.</p>
  const { health } = probed
  const history = renderHealthHistory(health, now)
  const changes = renderHealthChanges(health)
  if (history === null && changes === null) return null
  return (
    <>
      {history}
      {changes}
    </>
  )
}

/** Renders the publishers that authorize an agent, or did at a time of the past, each with a link to the evidence. */
export function renderPublishers(
  reader: Reader,
  agentUrl: string,
  total: number,
  { status, body }: Reply<AgentPublishers>,
  { cursor: after, ...past }: PublishersQuery,
): Html {
  const publishers = status === 200 ? body.publishers : []
  const cursor = status === 200 ? body.next_cursor : null
  const pages = buildPublisherPages(reader, agentUrl, { cursor: after, ...past }, cursor)
  const listed = (pages.before ?? 0) + publishers.length
  const faces = findFaces(
    reader,
    publishers.map(({ publisher_domain }) => publisher_domain),
  )
  // A column that says in every row that the operator says nothing tells less than none.
  const isSaid = publishers.some(
    ({ operator_side }) => operator_side === 'confirmed' || operator_side === 'contradicted',
  )
  return renderTable({
    caption: 'Publishers that authorize this agent',
    columns: ['Publisher', 'Authorized', 'Operator', 'Listed in', 'File last read', 'Evidence'],
    items: publishers,
    total: cursor ? Math.max(total, listed + 1) : listed,
    pages,
    rest: `/api/v1/agents/${encodeURIComponent(agentUrl)}/publishers${past.as_of ? `?${new URLSearchParams(past)}` : ''}`,
    bytes: 24_000,
    open: ROWS_OPEN,
    empty: past.as_of
      ? 'No publisher authorized this agent then.'
      : 'No publisher authorizes this agent.',
    render: publisher => [
      faces.renderLink(publisher.publisher_domain, toPublisherPath(publisher.publisher_domain)),
      publisher.signals_only ? (
        'Signals only'
      ) : (
        <>
          {renderReach(publisher)} {renderStale(publisher)}
        </>
      ),
      isSaid && renderOperatorSide(publisher),
      publisher.manager_domain === null ? (
        'Its own file'
      ) : (
        <>{renderName(publisher.manager_domain)}’s file</>
      ),
      renderMoment(publisher.last_verified_at),
      <a href={toPublisherAuthorizationPath(agentUrl, publisher.publisher_domain, past)}>View</a>,
    ],
  })
}

function renderReach({
  properties_authorized,
  properties_without_id = 0,
  properties_total,
  properties_stale,
}: AgentPublishers['publishers'][number]): Html | null {
  if (properties_total === 0 && properties_stale !== undefined) return null
  const all = countThings(properties_total, 'property', 'properties')
  return (
    <span class="whole">
      {formatCount(properties_authorized + properties_without_id)} of {all}
    </span>
  )
}

/** Renders what an agent told about itself: its protocols and tools. */
export function renderCapabilities({ probed }: AgentShown): Html {
  const { profile } = probed ?? {}
  const { tools, tools_count } = profile ?? { tools: [], tools_count: 0 }
  const unread = tools_count > 0 ? undefined : describeUnread(probed)
  return (
    <>
      {renderFacts([
        ['Protocols', profile?.protocols.join(', ').toUpperCase()],
        ['Tools', unread === undefined && formatCount(tools_count)],
        ['Credential', profile?.needs_auth ? 'required for some tools' : undefined],
      ])}
      {renderTable({
        caption: 'Tools',
        columns: ['Tool', 'Agent’s description'],
        items: tools,
        total: Math.max(tools_count, tools.length),
        bytes: 10_000,
        open: LATER_ROWS_OPEN,
        empty: unread ?? 'No capabilities reported.',
        render: ({ name, description }) => [
          <code>{clipText(name, 80)}</code>,
          renderName(description ?? '', 200),
        ],
      })}
    </>
  )
}

/** Describes why the capabilities of an agent are unknown; undefined if it was asked for them and answered. */
function describeUnread(probed: ProbedAgent | undefined): string | undefined {
  if (probed?.outcome === undefined) return 'Unknown: the agent hasn’t been checked yet.'
  if (probed.outcome === 'needs_auth') return 'Unknown: the agent requires a credential.'
  return probed.succeeded_at === undefined ? 'Unknown: the agent is offline.' : undefined
}
