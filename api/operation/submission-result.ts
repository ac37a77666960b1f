import { refuse } from '../../pipeline/core/errors.ts'
import type { Answer } from '../../pipeline/model/submission.ts'

/** Returns the result of a submission, or throws its refusal as a public error. */
export function unwrapAnswer(answer: Answer): Record<string, unknown> {
  if ('done' in answer) return answer.done
  return refuse(answer.error ?? 'invalid_request', answer.refused, answer.fields)
}
