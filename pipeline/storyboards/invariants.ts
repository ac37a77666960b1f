import type { ValidationResult } from '../model/storyboards/storyboard-check.ts'
import type { TaskOutcome } from './judged.ts'

/** Members of the error by which a second use of an idempotency key is refused: others could tell of the first. */
const conflictMembers: ReadonlySet<string> = new Set([
  'code',
  'message',
  'status',
  'retry_after',
  'correlation_id',
  'request_id',
  'operation_id',
])

/** Checks that an agent that refuses a used key says nothing of the request that used it. Holds for every step. */
export function checkConflict({ error }: TaskOutcome): ValidationResult[] {
  if (error?.code !== 'IDEMPOTENCY_CONFLICT') return []
  const leaked = Object.keys(error.body ?? {}).filter(name => !conflictMembers.has(name))
  const passed = leaked.length === 0
  return [
    {
      check: 'conflict_tells_nothing',
      passed,
      description: 'The refusal of a used idempotency key has nothing of the earlier request',
      ...(!passed && { expected: [...conflictMembers], actual: leaked.slice(0, 10) }),
    },
  ]
}
