import { type Agent, cast, urlOf } from './cast.ts'

/** An organization of the demo that enrolled its agents with the registry. */
export interface DemoMember {
  organization: string
  domain: string
  tier: 'company_leader' | 'company_standard' | 'individual_academic'
  isFounding: boolean
  isPublic: boolean
  agents: { url: string; type: Agent['type']; visibility: 'public' | 'members_only' | 'private' }[]
}

/** Companies of the cast: most show their agents, some only to members or to nobody. */
export const demoMembers: readonly DemoMember[] = [
  member('pinnacle-network.example', 'company_leader', { founding: true }),
  member('inkwell-creative.example', 'company_standard'),
  member('true-meter.example', 'company_standard'),
  member('bright-gauge.example', 'company_standard'),
  member('meadow-signals.example', 'company_standard', { visibility: 'members_only' }),
  member('north-buy.example', 'company_leader', { visibility: 'private', hidden: true }),
  member('plain-sight.example', 'individual_academic', { visibility: 'members_only' }),
]

interface Traits {
  founding?: boolean
  hidden?: boolean
  visibility?: DemoMember['agents'][number]['visibility']
}

function member(
  operator: string,
  tier: DemoMember['tier'],
  { founding = false, hidden = false, visibility = 'public' }: Traits = {},
): DemoMember {
  const agents = cast.filter(agent => agent.operator === operator)
  return {
    organization: agents[0]!.company,
    domain: operator,
    tier,
    isFounding: founding,
    isPublic: !hidden,
    agents: agents.map(agent => ({ url: urlOf(agent), type: agent.type, visibility })),
  }
}
