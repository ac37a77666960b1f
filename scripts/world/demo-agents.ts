export type AgentType =
  | 'brand'
  | 'rights'
  | 'measurement'
  | 'governance'
  | 'creative'
  | 'sales'
  | 'buying'
  | 'signals'

/** Behaviour of an agent: most are open, some want a credential, fail, or are no agents at all. */
export type Behavior = 'open' | 'auth' | 'down' | 'hang' | 'website' | 'card_only'

export type Agent = {
  type: AgentType
  host: string
  path: string
  /** The company that runs it, whose brand.json lists it. */
  operator: string
  company: string
  behavior: Behavior
  /** Format of replies over Streamable HTTP, which allows both. */
  reply: 'json' | 'sse'
  /** Refuses calls that do not carry the session it handed out. */
  session: boolean
  /** Tools per page of tools/list. */
  pageSize: number
  /** Also sends the payload as structured content. */
  structured: boolean
  /** Tasks answered with an error result. */
  failing: readonly string[]
  /** Never ends its event streams. */
  keepsStreamsOpen: boolean
  /** Lists things that are no tools among its tools. */
  listsInvalidTools: boolean
  /** Lists its tools to anybody, and requires a credential for each call. */
  requiresCredentialToCall: boolean
  /** The tenant of the reference agent that answers for it, where one runs beside the world. */
  tenant?: string
}

type Traits = Partial<Omit<Agent, 'type' | 'host' | 'operator' | 'company'>>

export const managerDomain = 'pinnacle-network.example'

export const demoAgents: readonly Agent[] = [
  buildAgent('sales', 'sales', managerDomain, 'Pinnacle Network', { tenant: 'sales' }),
  buildAgent('sales', 'ads', 'lantern-media.example', 'Lantern Media', { reply: 'sse' }),
  buildAgent('sales', 'sell', 'harbor-exchange.example', 'Harbor Exchange', { session: true }),
  buildAgent('sales', 'seller', 'copper-deals.test', 'Copper Deals', {
    reply: 'sse',
    session: true,
    structured: true,
  }),
  buildAgent('sales', 'pages', 'long-counter.example', 'Long Counter', { pageSize: 2 }),
  buildAgent('sales', 'secure', 'vault-deals.example', 'Vault Deals', { behavior: 'auth' }),
  buildAgent('sales', 'down', 'broken-bids.example', 'Broken Bids', { behavior: 'down' }),
  buildAgent('sales', 'slow', 'sleepy-sales.example', 'Sleepy Sales', { behavior: 'hang' }),
  buildAgent('sales', 'www', 'brochure-only.example', 'Brochure Only', { behavior: 'website' }),
  buildAgent('sales', 'desk', 'refusing-desk.example', 'Refusing Desk', {
    failing: ['get_products'],
  }),
  buildAgent('signals', 'data', 'meadow-signals.example', 'Meadow Signals', { tenant: 'signals' }),
  buildAgent('signals', 'audiences', 'slate-data.example', 'Slate Data', { reply: 'sse' }),
  buildAgent('creative', 'studio', 'inkwell-creative.example', 'Inkwell Creative', {
    tenant: 'creative',
  }),
  buildAgent('creative', 'formats', 'prism-forge.test', 'Prism Forge', {
    reply: 'sse',
    session: true,
  }),
  buildAgent('measurement', 'verify', 'true-meter.example', 'True Meter'),
  buildAgent('measurement', 'metrics', 'bright-gauge.example', 'Bright Gauge', {
    structured: true,
  }),
  buildAgent('measurement', 'claims', 'over-claim.example', 'Over Claim'),
  buildAgent('brand', 'identity', 'brand-hall.example', 'Brand Hall', { tenant: 'brand' }),
  buildAgent('rights', 'rights', 'song-house.example', 'Song House'),
  buildAgent('governance', 'policy', 'plain-sight.example', 'Plain Sight', {
    path: '/governance/mcp',
    tenant: 'governance',
  }),
  buildAgent('buying', 'desk', 'north-buy.example', 'North Buy'),
  buildAgent('creative', 'tap', 'open-tap.example', 'Open Tap', {
    reply: 'sse',
    keepsStreamsOpen: true,
  }),
  buildAgent('creative', 'shelf', 'odd-shelf.example', 'Odd Shelf', { listsInvalidTools: true }),
  buildAgent('creative', 'half', 'half-door.example', 'Half Door', {
    requiresCredentialToCall: true,
  }),
  buildAgent('creative', 'studio', 'slash-works.example', 'Slash Works', { path: '/mcp/' }),
  buildAgent('sales', 'relay', 'relay-desk.example', 'Relay Desk', {
    behavior: 'card_only',
    path: '/a2a',
  }),
]

export function toUrl(agent: Agent): string {
  return `https://${agent.host}${agent.path}`
}

/** Finds the agent for which a tenant of the reference agent answers. */
export function findAgent(tenant: string): Agent {
  const agent = demoAgents.find(candidate => candidate.tenant === tenant)
  if (!agent) throw new Error(`no agent of the demo internet is the tenant ${tenant}`)
  return agent
}

/** Agents that publishers authorize where a case needs no particular one. */
export const sellers = demoAgents.filter(agent => agent.type === 'sales') as [Agent, ...Agent[]]

export const dataAgents = demoAgents.filter(agent => agent.type === 'signals') as [
  Agent,
  ...Agent[],
]

function buildAgent(
  type: AgentType,
  label: string,
  operator: string,
  company: string,
  traits: Traits = {},
): Agent {
  return {
    type,
    host: `${label}.${operator}`,
    path: '/mcp',
    operator,
    company,
    behavior: 'open',
    reply: 'json',
    session: false,
    pageSize: 50,
    structured: false,
    failing: [],
    keepsStreamsOpen: false,
    listsInvalidTools: false,
    requiresCredentialToCall: false,
    ...traits,
  }
}
