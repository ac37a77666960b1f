import { type Agent, demoAgents, toUrl } from './demo-agents.ts'
import { getItem } from './items.ts'

/** An organization of the demo that is a member and has registered its agents. */
export interface DemoMember {
  organization: string
  domain: string
  tier: 'company_leader' | 'company_standard' | 'individual_academic'
  isFounding: boolean
  isPublic: boolean
  agents: { url: string; type: Agent['type']; visibility: 'public' | 'members_only' | 'private' }[]
}

/**
 * Members of the demo registry. Most of their agents are public; others are visible to members only, or to
 * their organization only.
 */
export const demoMembers: readonly DemoMember[] = [
  buildMember('pinnacle-network.example', 'company_leader', { founding: true }),
  buildMember('inkwell-creative.example', 'company_standard'),
  buildMember('true-meter.example', 'company_standard'),
  buildMember('bright-gauge.example', 'company_standard'),
  buildMember('meadow-signals.example', 'company_standard', { visibility: 'members_only' }),
  buildMember('north-buy.example', 'company_leader', { visibility: 'private', hidden: true }),
  buildMember('plain-sight.example', 'individual_academic', { visibility: 'members_only' }),
]

interface Traits {
  founding?: boolean
  hidden?: boolean
  visibility?: DemoMember['agents'][number]['visibility']
}

function buildMember(
  operator: string,
  tier: DemoMember['tier'],
  { founding = false, hidden = false, visibility = 'public' }: Traits = {},
): DemoMember {
  const agents = demoAgents.filter(agent => agent.operator === operator)
  return {
    organization: getItem(agents, 0).company,
    domain: operator,
    tier,
    isFounding: founding,
    isPublic: !hidden,
    agents: agents.map(agent => ({ url: toUrl(agent), type: agent.type, visibility })),
  }
}
