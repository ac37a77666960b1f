import { randomUUID } from 'node:crypto'
import type { ApiWriter } from '../../jobs/api-client/writer-client.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import type { Operation } from '../../pipeline/model/submission.ts'

/**
 * Submits what creates a secret under its id and returns the result. A repeated request is a conflict, since only a hash
 * of the secret is stored.
 */
export async function submitSecret(
  { writer }: { writer: ApiWriter },
  submission_id: string,
  operation: Operation,
): Promise<Record<string, unknown>> {
  const digest = randomUUID()
  const answer = await writer.submit(operation, { submission_id, digest })
  if ('refused' in answer)
    return refuse(answer.error ?? 'invalid_request', answer.refused, answer.fields)
  if (answer.digest !== digest)
    refuse(
      'conflict',
      'this Idempotency-Key was used, and what it created is not shown again: send another one to create a new one',
    )
  return answer.done
}
