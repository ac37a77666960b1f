import { randomUUID } from 'node:crypto'
import type { ApiWriter } from '../../jobs/api-client/writer-client.ts'
import { hashCanonicalJson } from '../../pipeline/core/canonical-json.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import type { Operation } from '../../pipeline/model/submission.ts'

/** Fault of a request whose key belongs to one with a different body. */
export const KEY_OF_OTHER = 'this Idempotency-Key was used for a different request'

const HASH_CHARS = 32

/**
 * Submits what creates a secret under its id and returns the result. A repeated request is a conflict, since only a hash
 * of the secret is stored; `requested` is what it has in common with the first one.
 */
export async function submitSecret(
  { writer }: { writer: ApiWriter },
  submission_id: string,
  operation: Operation,
  requested: object,
): Promise<Record<string, unknown>> {
  const content = hashCanonicalJson(requested).slice(0, HASH_CHARS)
  const digest = `${content} ${randomUUID()}`
  const answer = await writer.submit(operation, { submission_id, digest })
  // Earlier versions stored digests without the content.
  const [first, isComplete] = answer.digest?.split(' ') ?? []
  if (isComplete && first !== content) refuse('conflict', KEY_OF_OTHER)
  if ('refused' in answer)
    return refuse(answer.error ?? 'invalid_request', answer.refused, answer.fields)
  if (answer.digest !== digest)
    refuse(
      'conflict',
      'this Idempotency-Key was used, and what it created is not shown again: send another one to create a new one',
    )
  return answer.done
}
