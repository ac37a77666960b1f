import { type Answer, type Ask, answerJson, answerPage, answerStatus, redirect } from './answer.ts'
import { type Agent, demoAgents } from './demo-agents.ts'
import { answerMcp, buildAgentCard } from './mcp.ts'
import type { Place } from './site.ts'

/**
 * Builds the live agents, one host each. They are found through publishers and operators, not
 * crawled.
 */
export function buildAgentPlaces(protocolName: string): Place[] {
  return demoAgents.map(agent => ({
    host: agent.host,
    title: agent.company,
    listed: false,
    respond: ask => {
      if (ask.path === agent.path) return answerAt(agent, ask, protocolName)
      return `${ask.path}/` === agent.path ? redirect(agent.path, 307) : undefined
    },
    pages: hasCard(agent) ? buildCardPages(agent, protocolName) : {},
  }))
}

function answerAt(agent: Agent, ask: Ask, protocolName: string): Answer {
  switch (agent.behavior) {
    case 'open':
      return answerMcp(agent, ask, protocolName)
    case 'auth':
      return answerStatus(401, { 'www-authenticate': `Bearer realm="${agent.host}"` })
    case 'down':
      return answerStatus(503, { 'retry-after': '600' })
    case 'hang':
      return { kind: 'hang' }
    case 'website':
      return answerPage(agent.company, 'Call us to learn about our agents.')
    case 'card_only':
      return answerStatus(404)
  }
}

/**
 * Tells whether an agent serves an A2A card: creative agents speak both transports, one seller only
 * A2A.
 */
function hasCard(agent: Agent): boolean {
  return agent.behavior === 'card_only' || agent.type === 'creative'
}

function buildCardPages(agent: Agent, protocolName: string): Record<string, () => Answer> {
  const card = (): Answer => answerJson(buildAgentCard(agent, protocolName))
  return { '/.well-known/agent-card.json': card, '/.well-known/agent.json': card }
}
