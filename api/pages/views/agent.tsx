import { countThings } from '../../../pipeline/core/counts.ts'
import { parseUrl } from '../../../pipeline/core/url.ts'
import type { AgentPublishers } from '../../../pipeline/model/responses/authority.ts'
import type { AgentCompliance } from '../../../pipeline/model/responses/compliance.ts'
import { findProbedAgent } from '../../../pipeline/read/lookups/agent-profiles.ts'
import { findAgent } from '../../../pipeline/read/lookups/agents.ts'
import { isPublicAgent } from '../../../pipeline/read/lookups/public-agents.ts'
import { completeMoment } from '../../inputs/as-of.ts'
import { readCompliance } from '../../routes/agents/agent-compliance.ts'
import { listAgentPublishersAlias } from '../../routes/authorization/agent-publishers.ts'
import { PUBLISHERS_SHOWN } from '../agent-publisher-pages.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { clipText, renderExactMoment, renderName } from '../html/text.tsx'
import {
  type AgentShown,
  renderCapabilities,
  renderHealth,
  renderPublishers,
  renderStatus,
} from '../parts/agent.tsx'
import { renderCounts, renderFacts, renderSection, renderTitle } from '../parts/blocks.tsx'
import { renderTests } from '../parts/compliance.tsx'
import { renderBadge } from '../parts/freshness.tsx'
import { renderMonogram } from '../parts/looks.tsx'
import { renderAgentOwnerLinks } from '../parts/owner-links.tsx'
import { toAgentPath, toBrandPath } from '../parts/paths.ts'
import { renderProblem, renderWayOn } from '../parts/problem.tsx'
import { renderWatch } from '../parts/watch.tsx'
import type { View, ViewCall } from '../view.ts'

interface AgentQuery {
  cursor?: string | undefined
  as_of: string
}

/** Shows what an agent can sell, and what it says about itself. */
export async function show(call: ViewCall<AgentQuery, { url: string }>): Promise<View> {
  if (call.query.as_of !== '') return showPast(call)
  const { ask, query, services } = call
  const { reader } = services
  const { agent_url, operator, publisher_count, property_count } = findAgent(
    reader,
    call.params.url,
  )
  const params = { encodedUrl: agent_url }
  const page = { limit: String(PUBLISHERS_SHOWN), ...(query.cursor && { cursor: query.cursor }) }
  const [publishers, compliance] = await Promise.all([
    ask<AgentPublishers>(listAgentPublishersAlias, { params, query: page }),
    ask<AgentCompliance>(readCompliance, { params }),
  ])
  const probed = findProbedAgent(reader, agent_url)
  const isKnown = publishers.status === 200 || isPublicAgent(reader, agent_url)
  if (!isKnown) return showUnknown(agent_url, services)
  const agent: AgentShown = { agent_url, probed }
  const { profile } = probed
  const health = renderHealth(agent, reader.now())
  return {
    title: `Agent ${agent_url.replace(/^https:\/\//, '')}`,
    description: `${agent_url} is authorized by ${countThings(publisher_count, 'publisher')}.`,
    followed: { agent: agent_url },
    json: `/api/registry/agents/${encodeURIComponent(agent_url)}`,
    body: (
      <>
        {renderHead(agent, operator?.location, renderWatch(services, 'agent', agent_url))}
        {profile?.description ? <p class="lead">{renderName(profile.description, 400)}</p> : null}
        {renderStatus(agent, compliance.body, reader.now())}
        {renderSection(
          'publishers',
          'Authorizations',
          <>
            {renderCounts([
              ['Publishers', publisher_count],
              ['Properties', property_count],
            ])}
            {renderPublishers(reader, agent_url, publisher_count, publishers, {
              cursor: query.cursor,
            })}
          </>,
        )}
        {health && renderSection('health', 'Health', health)}
        {compliance.body.headline === null
          ? null
          : renderSection('tests', 'Test results', renderTests(compliance.body, agent_url))}
        {renderSection('capabilities', 'Capabilities', renderCapabilities(agent))}
      </>
    ),
  }
}

/** Shows what an agent could sell at a time of the past. */
async function showPast({
  ask,
  params: { url },
  query: { as_of, cursor },
  services: { reader },
}: ViewCall<AgentQuery, { url: string }>): Promise<View> {
  const { agent_url } = findAgent(reader, url)
  const params = { encodedUrl: agent_url }
  const past = { as_of: completeMoment(as_of) }
  const query = { limit: String(PUBLISHERS_SHOWN), ...past, ...(cursor && { cursor }) }
  const publishers = await ask<AgentPublishers>(listAgentPublishersAlias, { params, query })
  const count = publishers.status === 200 ? publishers.body.publishers.length : 0
  return {
    title: `Agent ${agent_url.replace(/^https:\/\//, '')} in the past`,
    description: `What ${agent_url} was authorized to sell at ${clipText(past.as_of, 40)}.`,
    json: `/api/v1/agents/${encodeURIComponent(agent_url)}/publishers?${new URLSearchParams(past)}`,
    body: (
      <>
        {renderHead({ agent_url })}
        {renderFacts([['As of', renderExactMoment(past.as_of)]])}
        <p>
          This is what publishers’ files granted then. The registry keeps no history of an agent’s
          tests and description: <a href={toAgentPath(agent_url)}>see this agent as it is now</a>.
        </p>
        {renderSection(
          'publishers',
          'Authorizations then',
          renderPublishers(reader, agent_url, count, publishers, { cursor, ...past }),
        )}
      </>
    ),
  }
}

function renderOperator(location: string): Html {
  return location.includes('://') ? (
    renderName(location)
  ) : (
    <a href={toBrandPath(location)}>{renderName(location)}</a>
  )
}

function renderHead(
  { agent_url, probed }: AgentShown,
  operator?: string,
  watch?: Html | null,
): Html {
  const name = probed?.profile?.name || (parseUrl(agent_url)?.host ?? agent_url)
  return renderTitle({
    mark: renderMonogram(name, agent_url),
    kind: 'Agent',
    name,
    watch,
    below: (
      <>
        <code>{clipText(agent_url, 300)}</code>{' '}
        {probed?.profile && probed.profile.type !== 'unknown'
          ? renderBadge('none', clipText(probed.profile.type, 30))
          : null}
        {operator === undefined ? null : <> operated by {renderOperator(operator)}</>}
      </>
    ),
  })
}

function showUnknown(agentUrl: string, services: ViewCall['services']): View {
  const title = `No agent found at ${clipText(agentUrl.replace(/^https:\/\//, ''), 200)}`
  return {
    status: 404,
    title,
    description: title,
    body: renderProblem(
      title,
      'No publisher authorizes an agent at this URL, and no member has added one.',
      <>
        <p>
          An agent appears here once a publisher’s adagents.json lists it, or a member adds it
          publicly.
        </p>
        {renderAgentOwnerLinks(services, agentUrl)}
        {renderWayOn()}
      </>,
    ),
  }
}
