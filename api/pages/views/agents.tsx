import { type AgentRow, agentDirectory } from '../../../pipeline/read/queries/directories.ts'
import { agentChoices, type Chosen } from '../directory-choices.ts'
import { loadDirectory } from '../directory-page.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { renderName } from '../html/text.tsx'
import { describeAgentType, renderAgentState } from '../parts/agent.tsx'
import { renderDirectory } from '../parts/directory.tsx'
import { renderBadge } from '../parts/freshness.tsx'
import { renderMonogram } from '../parts/looks.tsx'
import { toAgentPath } from '../parts/paths.ts'
import type { View, ViewCall } from '../view.ts'

/** Shows all agents that publishers' files name, or that members show to everybody. */
export async function show(call: ViewCall<Chosen>): Promise<View> {
  const found = await loadDirectory<AgentRow>(call, agentDirectory)
  return {
    title: 'Agents',
    description:
      'Every advertising agent that publishers list or members add, with its state and authorizations.',
    body: (
      <>
        <h1>Agents</h1>
        <p class="lead">
          Agents that publishers authorize to sell, and agents that members add here.
        </p>
        {renderDirectory({
          path: '/agents',
          nouns: ['agent', 'agents'],
          choices: agentChoices,
          chosen: call.query,
          found,
          render: agent => ({
            mark: renderMonogram(toTitle(agent), agent.id, 40),
            link: <a href={toAgentPath(agent.id)}>{renderName(toTitle(agent), 100)}</a>,
            below: (
              <>
                {renderName(agent.id.replace(/^https:\/\//, ''), 120)}
                {describeAgentType(agent.type)}
              </>
            ),
            aside: renderBadges(agent),
            figures: [
              [agent.publishers, 'Publisher', 'Publishers'],
              [agent.properties, 'Property', 'Properties'],
            ],
          }),
        })}
      </>
    ),
  }
}

function toTitle({ id, name }: AgentRow): string {
  return name ?? new URL(id).host
}

function renderBadges({ state, verified }: AgentRow): Html {
  return (
    <>
      {renderAgentState(state)}{' '}
      {verified === 'yes' ? renderBadge('good', agentChoices.fields.verified.words.yes) : null}
    </>
  )
}
