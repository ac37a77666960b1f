import { existsSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import { Lease } from '../../pipeline/store/lease.ts'
import type { Paths } from '../../pipeline/store/paths.ts'

const ANSWER_MS = 5_000
const Readiness = z.object({ problems: z.array(z.string()) })
/** Ends a sentence that leaves the details to `status`, which has them from the indexer. */
const SAYS_MORE = '`registry status` says why'

/**
 * Fetches what the running `start` says is wrong: it knows the settings of the service, which those of this shell need
 * not be. Undefined where no `start` runs here.
 */
export async function fetchSupervisorProblems({
  startLock,
  operatorUrl,
}: Pick<Paths, 'startLock' | 'operatorUrl'>): Promise<string[] | undefined> {
  if (!existsSync(operatorUrl) || !existsSync(startLock)) return undefined
  if (!(await Lease.isHeld(startLock))) return undefined
  const url = readFileSync(operatorUrl, 'utf8')
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(ANSWER_MS) })
    const { problems } = Readiness.parse(await response.json())
    return problems.filter(problem => !problem.includes(SAYS_MORE))
  } catch {
    return [`the operator’s port (${url}) does not answer`]
  }
}
