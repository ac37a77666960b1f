import { existsSync, readFileSync, rmSync } from 'node:fs'
import { z } from 'zod'
import { STATUS_SAYS_WHY } from '../../api/operator/health.ts'
import { getMessage } from '../../jobs/api-client/writer-client.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { replaceFile } from '../../pipeline/store/durable-files.ts'
import { Lease } from '../../pipeline/store/lease.ts'
import type { Paths } from '../../pipeline/store/paths.ts'

const ANSWER_MS = 10_000
const Readiness = z.object({
  blocking: z.array(z.string()).default([]),
  notes: z.array(z.string()).default([]),
})
export type Reported = z.infer<typeof Readiness>

type Place = Pick<Paths, 'operatorUrl'>

/** Removes the address of an earlier start, at which `status` would ask in vain. */
export function forgetOperatorUrl({ operatorUrl }: Place): void {
  rmSync(operatorUrl, { force: true })
}

/** Writes where `status` asks this start. A start goes on without it: on a full disk, reads are still answered. */
export function noteOperatorUrl({ operatorUrl }: Place, url: string, log: Log): void {
  try {
    replaceFile(operatorUrl, url)
  } catch (error) {
    log.warn({ error: getMessage(error) }, 'status cannot ask this start')
  }
}

/**
 * Fetches what the running `start` says is wrong: it knows the settings of the service, which those of this shell need
 * not be. Undefined where no `start` runs here.
 */
export async function fetchSupervisorProblems({
  startLock,
  operatorUrl,
}: Pick<Paths, 'startLock' | 'operatorUrl'>): Promise<Reported | undefined> {
  if (!existsSync(operatorUrl) || !existsSync(startLock)) return undefined
  if (!(await Lease.isHeld(startLock))) return undefined
  const url = readFileSync(operatorUrl, 'utf8')
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(ANSWER_MS) })
    return Readiness.parse(await response.json())
  } catch {
    return { blocking: [`the operator’s port (${url}) does not answer`], notes: [] }
  }
}

/** Drops the sentences of which `status` knows more. */
export function leaveDetailsToStatus(problems: readonly string[]): string[] {
  return problems.filter(problem => !problem.includes(STATUS_SAYS_WHY))
}
