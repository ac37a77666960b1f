import { z } from 'zod'
import { PolicyContent } from '../../pipeline/model/policy.ts'
import type { Operation } from '../../pipeline/model/submission.ts'
import { readSettings } from './environment.ts'
import { nameInput, readJsonFrom } from './input.ts'
import { submitOrApply, unwrapOrExit } from './running.ts'

/** Publishes the registry's own policies from a JSON file with one policy or a list. */
export async function publishPolicies(file: string): Promise<void> {
  const policies = await readJsonFrom(file)
  const read = z.array(PolicyContent).safeParse(Array.isArray(policies) ? policies : [policies])
  if (!read.success) return void unwrapOrExit({ refused: z.prettifyError(read.error) })
  if (read.data.length === 0) throw new Error(`${nameInput(file)} has no policy`)
  const operations = read.data.map((policy): Operation => ({ op: 'policy.publish', policy }))
  for (const answer of await submitOrApply(readSettings(), operations)) {
    const { policy_id, revision_number } = unwrapOrExit(answer)
    process.stdout.write(`${policy_id} ${revision_number}\n`)
  }
}
