import { type AgentDeclaration, agentTypes } from '../model/documents/index.ts'
import { readAgentUrl, readLocation } from './addresses.ts'
import { ObjectReader, optional } from './object-reader.ts'
import { joinAlternatives, SLUG } from './suggestions.ts'

const knownTypes: ReadonlySet<string> = new Set(agentTypes)
const SHORT_SLUG = {
  ...SLUG,
  pattern: /^[a-z0-9_]{1,100}$/,
  allows: `${SLUG.allows}, at most 100 of them`,
}

/** Two older keys, from before there was a list of agents. */
const older = { brand_agent: 'brand', rights_agent: 'rights' } as const

/** Reads the agents that a brand, a house or a file of agents declares. */
export function readAgents(part: ObjectReader): AgentDeclaration[] {
  const agents: AgentDeclaration[] = []
  const urls = new Map<string, string>()
  for (const item of part.parts('agents')) {
    const agent = parseAgent(item)
    if (agent === undefined) continue
    const first = urls.get(agent.agent_url)
    if (first !== undefined) item.error('url', 'repeated', `duplicates ${first}: remove one`)
    else urls.set(agent.agent_url, item.path('url'))
    agents.push(agent)
  }
  for (const key of ['brand_agent', 'rights_agent'] as const) {
    const agent = readOlder(part, key)
    if (agent !== undefined && !urls.has(agent.agent_url)) agents.push(agent)
  }
  return agents
}

function readOlder(part: ObjectReader, key: keyof typeof older): AgentDeclaration | undefined {
  if (!part.has(key)) return undefined
  const item = part.part(key)
  part.warn(key, 'outdated', `is an outdated form: move it to agents, with the type ${older[key]}`)
  return (
    item &&
    parseAgent(new ObjectReader({ ...item.value, type: older[key] }, item.field, item.faults))
  )
}

/** Parses an agent; undefined without a type or a usable address. */
function parseAgent(part: ObjectReader): AgentDeclaration | undefined {
  const url = readAgentUrl(part, 'url')
  const type = part.requiredText('type')
  if (!part.has('type'))
    part.error('type', 'missing', `is missing: write ${joinAlternatives(agentTypes)}`)
  if (type !== undefined && !knownTypes.has(type)) part.notAllowed('type', type, agentTypes)
  const id = part.text('id')
  if (id !== undefined) part.checkAlphabet('id', id, SHORT_SLUG)
  const agent = {
    ...optional('id', id),
    ...optional('description', part.label('description')),
    ...optional('jwks_uri', readLocation(part, 'jwks_uri')),
  }
  return url === undefined || type === undefined ? undefined : { type, ...url, ...agent }
}
