import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { refuse } from '../../pipeline/core/errors.ts'
import { getFirst } from '../../pipeline/core/present.ts'
import type { Identity } from '../identity/identity.ts'
import { requireOwnForm } from '../identity/sign-in-request.ts'

/** Name of the field in which each form carries its token. */
export const TOKEN_FIELD = 'form_token'

/** Name of the field with which a form is sent once: what it creates is not created again when its answer is reloaded. */
export const ONCE_FIELD = 'once'

/** Reads the key with which a form counts once; undefined for every other form. */
export function readOnce(form: URLSearchParams): string | undefined {
  const once = form.get(ONCE_FIELD) ?? ''
  return /^[\da-f-]{36}$/.test(once) ? once : undefined
}

/** Derives the token of the forms of one session. Another site can neither read nor compute it. */
export function deriveFormToken({ keys }: Identity, sessionUid: string): string {
  return createHmac('sha256', getFirst(keys.cookies))
    .update(`dashboard form ${sessionUid}`)
    .digest('base64url')
}

/**
 * Refuses a form that no page of this session has sent: its browser must say that it comes from here, and
 * its token must be that of the session.
 */
export function requireFormToken(
  request: FastifyRequest,
  form: URLSearchParams,
  { baseUrl, expected }: { baseUrl: string; expected: string },
): void {
  requireOwnForm(request, baseUrl)
  const sent = Buffer.from(form.get(TOKEN_FIELD) ?? '')
  const wanted = Buffer.from(expected)
  if (sent.length !== wanted.length || !timingSafeEqual(sent, wanted)) {
    refuse('forbidden', 'this form belongs to another session: open the page again')
  }
}
