import { createHash } from 'node:crypto'
import { idOfFacts } from '../../pipeline/core/uuid-v7.ts'
import type { Operation, Submission } from '../../pipeline/model/submission.ts'

/** A new organization: the same for the same name, as a second delivery of it would be. */
export function writeOf(name: string): Submission {
  return submission(name, { op: 'organization.create', org_id: idOfFacts('org', name), name })
}

export function keyOf(org: string, label: string): Submission {
  const hash = createHash('sha256').update(label).digest('hex')
  const operation = { op: 'key.create', key_id: idOfFacts('key', label), org, label, hash } as const
  return submission(label, operation)
}

export function submission(name: string, operation: Operation): Submission {
  return { submission_id: idOfFacts('submission', operation.op, name), operation }
}
