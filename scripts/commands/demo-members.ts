import { randomUUID } from 'node:crypto'
import { readMirror } from '../../api/inputs/mirror-file.ts'
import type { ListedKey } from '../../pipeline/accounts/organizations.ts'
import { systemClock } from '../../pipeline/core/clock.ts'
import { getFirst, getLast } from '../../pipeline/core/present.ts'
import { deriveId } from '../../pipeline/core/uuid-v7.ts'
import { type CredentialOwner, encryptCredential } from '../../pipeline/model/agent-credential.ts'
import { Operation } from '../../pipeline/model/submission.ts'
import { demoAgents, toUrl } from '../world/demo-agents.ts'
import { demoPolicy, savedEntry, videoMirror } from '../world/entries.ts'
import { type DemoMember, demoMembers } from '../world/members.ts'
import { connectWriter, retryWhileUnavailable } from './running.ts'

/** Secrets of the demo: what encrypts credentials, and the public credential of the reference agent. */
interface DemoSecrets {
  credentialsKey: string
  agentToken: string
}

/** Tells whether the members of the demo internet are enrolled: they are in order, so it asks for the last one. */
export async function hasDemoMembers(redisUrl: string): Promise<boolean> {
  const { organization: org } = getLast(demoMembers)
  const writer = await connectWriter(redisUrl, 'start', 'warn')
  try {
    const list = () => writer.ask<ListedKey[] | null>({ ask: 'keys', org })
    return (await retryWhileUnavailable(list, Number.POSITIVE_INFINITY)) !== null
  } finally {
    await writer.close()
  }
}

/**
 * Enrols the members of the demo internet, one operation after the other. Those whose agents are the reference
 * agent give the registry its credential, with which it tests them.
 */
export async function enrolDemoMembers(redisUrl: string, secrets: DemoSecrets): Promise<void> {
  const writer = await connectWriter(redisUrl, 'start', 'warn')
  try {
    const [first, ...others] = demoMembers.map(member => listOperations(member, secrets))
    for (const operation of [...(first ?? []), ...listEntries(), ...others.flat()]) {
      const submission_id = randomUUID()
      const by = { kind: 'registry', id: 'demo' } as const
      const submit = () => writer.submit(operation, { submission_id, by })
      const answer = await retryWhileUnavailable(submit, Number.POSITIVE_INFINITY)
      // An earlier start may have been interrupted halfway.
      if ('refused' in answer && answer.error !== 'conflict') throw new Error(answer.refused)
    }
  } finally {
    await writer.close()
  }
}

function listOperations(member: DemoMember, secrets: DemoSecrets): Operation[] {
  const org_id = deriveId('demo member', member.organization)
  const { organization: org, domain, tier, isFounding, isPublic, agents } = member
  const operations = [
    { op: 'organization.create', org_id, name: org },
    { op: 'member.tier', org, tier },
    { op: 'organization.domain.add', org, domain, proof: 'operator', is_confirmed: true },
    { op: 'member.create', org, is_founding: isFounding, is_public: isPublic },
    ...agents.map(agent => ({ op: 'member.agent.save', org, ...agent })),
    ...agents
      .filter(({ url }) => demoAgents.some(agent => agent.tenant && toUrl(agent) === url))
      .map(({ url }) => connect({ org_id, agent_url: url }, secrets)),
  ]
  return operations.map(operation => Operation.parse(operation))
}

/** Lists what the first member and the registry keep for others, in one order with stable ids. */
function listEntries(): Operation[] {
  const { organization: org } = getFirst(demoMembers)
  const { domain, brand_name, properties } = savedEntry
  const editor = { kind: 'command', id: 'demo', org_id: deriveId('demo member', org) }
  const buildSave = (part: string) => ({ revision_id: deriveId('demo', part), domain, editor })
  const content = readMirror(videoMirror.file, systemClock.now())
  const operations = [
    { op: 'organization.domain.add', org, domain, proof: 'operator', is_confirmed: true },
    { op: 'brand.save', brand_name, ...buildSave('brand') },
    { op: 'property.save', properties, ...buildSave('property') },
    { op: 'mirror.publish', platform: videoMirror.platform, content, editor },
    { op: 'policy.publish', policy: demoPolicy },
  ]
  return operations.map(operation => Operation.parse(operation))
}

function connect(owner: CredentialOwner, { credentialsKey, agentToken }: DemoSecrets) {
  const auth_type = 'bearer'
  const credential = { auth_type, auth_token: agentToken } as const
  const sealed_secret = encryptCredential(credentialsKey, credential, owner)
  return { op: 'agent.credential.save', ...owner, auth_type, sealed_secret }
}
