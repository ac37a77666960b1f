import { createLocalJWKSet, errors, type JWTPayload, jwtVerify } from 'jose'
import type { Instant } from '../core/clock.ts'
import { asymmetricAlgorithms } from '../core/signature-algorithms.ts'
import { type OpenIdFailure, OpenIdPerson } from '../model/accounts/openid.ts'
import { EmailAddress } from '../model/accounts/person.ts'
import type { IssuerKey } from '../model/identity.ts'

/** The facts that an ID token must agree with. */
interface Expected {
  keys: IssuerKey[]
  issuer: string
  /** Id of the registry at the provider. */
  client: string
  nonce: string
  now: Instant
}

/** Difference between the clocks of the provider and of this host that is tolerated. */
const CLOCK_TOLERANCE_S = 30
/** A code is exchanged at once, so an ID token that was issued earlier belongs to another sign-in. */
const AGE_MAX_S = 600
const NAME_CHARS_MAX = 200

/** Verifies an ID token by the keys of its provider (OpenID Connect Core, 3.1.3.7) and reads its person. */
export async function verifyIdToken(
  token: string,
  { keys, issuer, client, nonce, now }: Expected,
): Promise<OpenIdPerson | OpenIdFailure> {
  try {
    const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet({ keys }), {
      algorithms: asymmetricAlgorithms,
      issuer,
      audience: client,
      requiredClaims: ['exp', 'iat', 'sub'],
      maxTokenAge: AGE_MAX_S,
      currentDate: new Date(now),
      clockTolerance: CLOCK_TOLERANCE_S,
    })
    const { typ } = protectedHeader
    if (typ !== undefined && typ.toUpperCase() !== 'JWT') return refuseToken(`its type is ${typ}`)
    if (payload.nonce !== nonce) return refuseToken('the nonce is that of another sign-in')
    const { azp } = payload
    const needsParty = Array.isArray(payload.aud) && payload.aud.length > 1
    if ((needsParty || azp !== undefined) && azp !== client)
      return refuseToken('it was issued to another application')
    const person = OpenIdPerson.safeParse({ issuer, ...readClaims(payload) })
    return person.success ? person.data : refuseToken('its subject is too long')
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError)
      return refuseToken(error.message)
    throw error
  }
}

/** Reads what is said of the person; what is malformed counts as absent. An address is verified only by `true`. */
function readClaims({ sub, email, email_verified, name }: JWTPayload) {
  const address = EmailAddress.safeParse(email)
  return {
    subject: sub,
    email: address.success && email_verified === true ? address.data : null,
    name: (typeof name === 'string' && name.trim().slice(0, NAME_CHARS_MAX).trim()) || null,
  }
}

function refuseToken(detail: string): OpenIdFailure {
  return { failed: 'untrusted', detail: `the ID token is refused: ${detail}` }
}
