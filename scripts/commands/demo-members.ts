import { randomUUID } from 'node:crypto'
import { deriveId } from '../../pipeline/core/uuid-v7.ts'
import { Operation } from '../../pipeline/model/submission.ts'
import { type DemoMember, demoMembers } from '../world/members.ts'
import { connectWriter, retryWhileUnavailable } from './running.ts'

/** Enrols the members of the demo internet, one operation after the other. */
export async function enrolDemoMembers(redisUrl: string): Promise<void> {
  const writer = await connectWriter(redisUrl, 'start', 'warn')
  try {
    for (const operation of demoMembers.flatMap(listOperations)) {
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

function listOperations(member: DemoMember): Operation[] {
  const { organization: org, domain, tier, isFounding, isPublic, agents } = member
  const operations = [
    { op: 'organization.create', org_id: deriveId('demo member', org), name: org },
    { op: 'member.tier', org, tier },
    { op: 'organization.domain.add', org, domain, proof: 'operator', is_confirmed: true },
    { op: 'member.create', org, is_founding: isFounding, is_public: isPublic },
    ...agents.map(agent => ({ op: 'member.agent.save', org, ...agent })),
  ]
  return operations.map(operation => Operation.parse(operation))
}
