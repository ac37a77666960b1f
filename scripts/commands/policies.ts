import { z } from 'zod'
import { describeIssue, formatPath } from '../../pipeline/core/validation-messages.ts'
import { PolicyContent } from '../../pipeline/model/policy.ts'
import type { Operation } from '../../pipeline/model/submission.ts'
import { readSettings } from './environment.ts'
import { nameInput, readJsonFrom } from './input.ts'
import { submitOrApply, unwrapOrExit } from './running.ts'

const FAULTS_SHOWN_MAX = 5

/** Says what is wrong with policies, by the field; of several policies also which one it is. */
function describeFaults(list: readonly unknown[], { issues }: z.ZodError): string {
  return issues
    .slice(0, FAULTS_SHOWN_MAX)
    .map(({ path: [at, ...path], message }) => {
      const policy = list.length > 1 ? `policy ${Number(at) + 1}` : 'the policy'
      return path.length > 0 ? `${policy}: ${formatPath(path)} ${message}` : `${policy} ${message}`
    })
    .join('; ')
}

/** Publishes the registry's own policies from a JSON file with one policy or a list. */
export async function publishPolicies(file: string): Promise<void> {
  const policies = await readJsonFrom(file)
  const list = Array.isArray(policies) ? policies : [policies]
  const read = z.array(PolicyContent).safeParse(list, { error: describeIssue })
  if (!read.success) return void unwrapOrExit({ refused: describeFaults(list, read.error) })
  if (read.data.length === 0) throw new Error(`${nameInput(file)} has no policy`)
  const operations = read.data.map((policy): Operation => ({ op: 'policy.publish', policy }))
  for (const answer of await submitOrApply(readSettings(), operations)) {
    const { policy_id, revision_number } = unwrapOrExit(answer)
    process.stdout.write(`${policy_id} ${revision_number}\n`)
  }
}
