import { z } from 'zod'
import { PolicyContent } from '../../pipeline/model/policy.ts'
import type { Operation } from '../../pipeline/model/submission.ts'
import { readSettings } from './environment.ts'
import { jsonFrom, nameInput } from './input.ts'
import { carryOut, doneOrExit } from './running.ts'

/** Publishes the registry's own policies: a JSON file of one, or of a list. */
export async function publishPolicies(file: string): Promise<void> {
  const given = await jsonFrom(file)
  const read = z.array(PolicyContent).safeParse(Array.isArray(given) ? given : [given])
  if (!read.success) return void doneOrExit({ refused: z.prettifyError(read.error) })
  if (read.data.length === 0) throw new Error(`${nameInput(file)} has no policy`)
  const operations = read.data.map((policy): Operation => ({ op: 'policy.publish', policy }))
  for (const answer of await carryOut(readSettings(), operations)) {
    const { policy_id, revision_number } = doneOrExit(answer)
    process.stdout.write(`${policy_id} ${revision_number}\n`)
  }
}
