import { refuse } from '../pipeline/core/errors.ts'
import type { Answer } from '../pipeline/model/submission.ts'

/** What was done; what was refused is told to the caller. */
export function doneOrRefuse(answer: Answer): Record<string, unknown> {
  if ('done' in answer) return answer.done
  return refuse(answer.error ?? 'invalid_request', answer.refused, answer.fields)
}
