import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { hashCanonicalJson } from '../../pipeline/core/canonical-json.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { deriveId } from '../../pipeline/core/uuid-v7.ts'
import type { Operation } from '../../pipeline/model/submission.ts'
import type { Principal } from '../auth/principal.ts'
import { KEY_OF_OTHER } from '../live/submit-secret.ts'
import type { Services } from './services.ts'

const KEY = /^[\x21-\x7e]{1,255}$/

/**
 * Derives the id of a write. With an `Idempotency-Key` it is the same for the same key, organization and
 * path, so that a repeated request is done once.
 */
export function deriveIdempotentId(
  headers: IncomingHttpHeaders,
  path: string,
  { id, org_id }: Principal,
): string {
  const key = headers['idempotency-key']
  if (key === undefined) return randomUUID()
  if (typeof key !== 'string' || !KEY.test(key)) {
    refuse('invalid_request', 'Idempotency-Key: must be 1 to 255 printable characters')
  }
  return deriveId('attempt', org_id ?? id, path, key)
}

/**
 * Submits an edit under its id and returns the result. A repeated request gets the earlier answer; a
 * different one under the same id is a conflict. Throws refusals with `fields`, and with the URL of
 * ownership challenges if a proof is missing.
 */
export async function submitIdempotent(
  { writer, baseUrl }: Services,
  submission_id: string,
  operation: Operation & { editor: object },
  fields: object,
): Promise<Record<string, unknown>> {
  const digest = hashCanonicalJson({ ...operation, editor: null })
  const answer = await writer.submit(operation, { submission_id, digest })
  if (answer.digest !== undefined && answer.digest !== digest) {
    refuse('conflict', KEY_OF_OTHER)
  }
  if ('done' in answer) return answer.done
  const { error = 'invalid_request', refused } = answer
  return refuse(error, refused, {
    ...fields,
    ...(error === 'ownership_proof_required' && {
      message: refused,
      challenge_url: `${baseUrl()}/api/registry/ownership/challenges`,
    }),
  })
}
