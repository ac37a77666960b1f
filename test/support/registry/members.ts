import { randomUUID } from 'node:crypto'
import { MINUTE } from '../../../pipeline/core/clock.ts'
import type { Tier, Visibility } from '../../../pipeline/core/tiers.ts'
import { hashContent } from '../../../pipeline/crawl/crawl-source.ts'
import { buildAgentDocument } from '../../../pipeline/model/agent-tasks.ts'
import type { AgentParts, AgentType } from '../../../pipeline/model/documents/index.ts'
import { Operation } from '../../../pipeline/model/submission.ts'
import type { ObservationDraft, TestRegistry } from './app.ts'

export interface TestMember {
  org: string
  tier?: Tier
  founding?: boolean
  public?: boolean
  domains?: string[]
  agents?: { url: string; type?: AgentType; name?: string; visibility?: Visibility }[]
}

/** Builds the writes that make an organization a member, with its domains and agents. */
export function buildMemberOperations(member: TestMember): Operation[] {
  const { org, tier, founding, domains = [], agents = [] } = member
  const operations = [
    ...(tier === undefined ? [] : [{ op: 'member.tier', org, tier }]),
    ...domains.map(domain => ({ op: 'organization.domain.add', org, domain, proof: 'dns_txt' })),
    {
      op: 'member.create',
      org,
      is_public: member.public ?? true,
      ...(founding !== undefined && { is_founding: founding }),
    },
    ...agents.map(agent => ({
      op: 'member.agent.save',
      org,
      type: 'sales',
      visibility: 'public',
      ...agent,
    })),
  ]
  return operations.map(operation => Operation.parse(operation))
}

/** Makes a member and returns the secret of a key of it. */
export async function enrol(registry: TestRegistry, member: TestMember): Promise<string> {
  const key = await registry.createKey(member.org)
  for (const answer of await registry.submit(...buildMemberOperations(member))) {
    if ('refused' in answer) throw new Error(answer.refused)
  }
  return key
}

/** Proves that a domain is an organization's, as if a crawler had found the challenge token in DNS. */
export async function proveOwnership(
  registry: TestRegistry,
  org: string,
  domain: string,
): Promise<void> {
  const { org_id } = (await registry.sequencer.accounts.db.one<{ org_id: string }>(
    'select org_id from organizations where name = $org',
    { org },
  ))!
  const challenge_id = randomUUID()
  const attempt_id = randomUUID()
  const steps = [
    { op: 'ownership.issue', nonce_hash: '0'.repeat(64), lasts_ms: MINUTE },
    { op: 'ownership.take', attempt_id },
    { op: 'ownership.settle', attempt_id, found: 'dns_txt' },
  ]
  for (const step of steps) {
    const operation = Operation.parse({ ...step, challenge_id, org_id, domain })
    const [answer] = await registry.submit(operation)
    if (answer && 'refused' in answer) throw new Error(answer.refused)
  }
}

/** Builds the observation of an agent that answered. */
export function observeAgent(location: string, parts: Partial<AgentParts> = {}): ObservationDraft {
  const document = buildAgentDocument({
    endpoint: location,
    server_name: 'Agent',
    tools: [],
    needs_auth: false,
    unread: [],
    ...parts,
  })
  const hash = hashContent(Buffer.from(JSON.stringify(document)))
  return { kind: 'agent', location, document, hash, took_ms: 40 }
}
