import type { RegistrationResponseJSON, WebAuthnCredential } from '@simplewebauthn/server'
import { z } from 'zod'
import type { Redis } from '../../jobs/redis.ts'
import { Passkey } from '../../pipeline/model/accounts/passkey.ts'
import type { Person } from '../../pipeline/model/accounts/person.ts'
import { findPasskey, findPerson, listPasskeys } from '../../pipeline/read/lookups/people.ts'
import type { Services } from '../operation/services.ts'
import { PasskeyChallenges } from './passkey-challenges.ts'

/** The fields of an authenticator's answer that are read here; the library checks the rest. */
const Credential = z.looseObject({
  id: Passkey.shape.credential_id,
  response: z.looseObject({
    userHandle: z.base64url().max(200).optional(),
    clientDataJSON: z.base64url().max(4_096),
  }),
})

const ClientData = z.looseObject({ challenge: z.base64url().max(200) })

const REFUSED = 'The passkey wasn’t accepted. Open the page again and retry.'

/**
 * Registers passkeys and signs people in with them. Each challenge belongs to one session or one sign-in
 * and is used once; origin and relying party are those of the public address.
 */
export class Passkeys {
  readonly #services: Services
  readonly #challenges: PasskeyChallenges

  /** Creates the passkeys of a registry, whose `secrets` issue challenges. */
  constructor(redis: Redis, secrets: readonly string[], services: Services) {
    this.#services = services
    this.#challenges = new PasskeyChallenges(redis, secrets, services.clock)
  }

  /** Builds the options with which a browser creates a passkey, as JSON. */
  async buildRegistration(person: Person, sessionUid: string): Promise<string> {
    const { generateRegistrationOptions } = await import('@simplewebauthn/server')
    const name = person.email ?? person.name ?? person.user_id
    const options = await generateRegistrationOptions({
      rpName: 'Agentic Ad Registry',
      rpID: this.#site.rpId,
      userID: new TextEncoder().encode(person.user_id),
      userName: name,
      userDisplayName: name,
      challenge: this.#challenges.issue(toRegistration(sessionUid)),
      attestationType: 'none',
      excludeCredentials: listPasskeys(this.#services.reader, person.user_id).map(held => ({
        id: held.credential_id,
        transports: held.transports,
      })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    })
    return JSON.stringify(options)
  }

  /** Registers a passkey; returns why it was refused, if it was. */
  async register(
    { user_id }: Person,
    sessionUid: string,
    { credential, label }: { credential: string; label: string },
  ): Promise<string | undefined> {
    const response = parseCredential(credential)
    const expectedChallenge = await this.#useChallenge(toRegistration(sessionUid), response)
    if (expectedChallenge === undefined || response === undefined) return REFUSED
    const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
    const { origin, rpId } = this.#site
    const verified = await settle(
      verifyRegistrationResponse({
        response: response as unknown as RegistrationResponseJSON,
        expectedChallenge,
        expectedOrigin: origin,
        expectedRPID: rpId,
      }),
    )
    if (!verified?.verified) return REFUSED
    return this.#store(user_id, label, verified.registrationInfo.credential)
  }

  async #store(user_id: string, label: string, made: WebAuthnCredential) {
    const passkey = Passkey.omit({ created_at: true, used_at: true }).safeParse({
      user_id,
      credential_id: made.id,
      public_key: Buffer.from(made.publicKey).toString('base64url'),
      counter: made.counter,
      transports: made.transports ?? [],
      label,
    })
    if (!passkey.success) return 'Give the passkey a name of at most 100 characters.'
    const answer = await this.#services.writer.submit(
      { op: 'passkey.add', ...passkey.data },
      { by: { kind: 'user', id: user_id } },
    )
    return 'refused' in answer ? answer.refused : undefined
  }

  /**
   * Builds the options with which a browser signs in, as JSON. They name no person: the authenticator knows
   * whose passkeys it holds.
   */
  async buildSignIn(uid: string): Promise<string> {
    const { generateAuthenticationOptions } = await import('@simplewebauthn/server')
    const options = await generateAuthenticationOptions({
      rpID: this.#site.rpId,
      challenge: this.#challenges.issue(toSignIn(uid)),
      userVerification: 'required',
    })
    return JSON.stringify(options)
  }

  /** Returns the id of the person whose passkey answers the challenge of this sign-in; undefined if none does. */
  async signIn(uid: string, credential: string): Promise<string | undefined> {
    const response = parseCredential(credential)
    const expectedChallenge = await this.#useChallenge(toSignIn(uid), response)
    const userId = decodeHandle(response?.response.userHandle)
    if (expectedChallenge === undefined || response === undefined || userId === undefined) return
    const { reader, writer } = this.#services
    const held = findPasskey(reader, userId, response.id)
    if (held === undefined || findPerson(reader, userId) === undefined) return
    const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
    const { origin, rpId } = this.#site
    const verified = await settle(
      verifyAuthenticationResponse({
        response: response as never,
        expectedChallenge,
        expectedOrigin: origin,
        expectedRPID: rpId,
        credential: {
          id: held.credential_id,
          publicKey: new Uint8Array(Buffer.from(held.public_key, 'base64url')),
          counter: held.counter,
        },
      }),
    )
    if (!verified?.verified) return
    const { newCounter: counter } = verified.authenticationInfo
    const { user_id, credential_id } = held
    // The writer decides: of two answers with the same counter, only the first signs in.
    const answer = await writer.submit(
      { op: 'passkey.use', user_id, credential_id, counter },
      { by: { kind: 'registry', id: 'sign-in' } },
    )
    return 'refused' in answer ? undefined : user_id
  }

  /** Uses up the challenge that a credential answers, and returns it; undefined if it is not of this owner. */
  async #useChallenge(owner: string, credential: Credential | undefined) {
    const challenge = findChallenge(credential?.response.clientDataJSON ?? '')
    if (challenge === undefined) return undefined
    return (await this.#challenges.use(owner, challenge)) ? challenge : undefined
  }

  get #site(): { origin: string; rpId: string } {
    const { origin, hostname } = new URL(this.#services.baseUrl())
    return { origin, rpId: hostname }
  }
}

/** Removes a passkey of a person; returns why it was refused, if it was. */
export async function endPasskey(
  { writer }: Pick<Services, 'writer'>,
  user_id: string,
  credentialId: string,
): Promise<string | undefined> {
  const { success, data } = Passkey.shape.credential_id.safeParse(credentialId)
  if (!success) return 'you have no such passkey'
  const answer = await writer.submit(
    { op: 'passkey.remove', user_id, credential_id: data },
    { by: { kind: 'user', id: user_id } },
  )
  return 'refused' in answer ? answer.refused : undefined
}

/** Tells whether browsers create passkeys for this address: a host name over TLS, or `localhost`. */
export function hasPasskeys(baseUrl: string): boolean {
  const { hostname, protocol } = new URL(baseUrl)
  if (hostname === 'localhost') return true
  return protocol === 'https:' && !/^\[|^[\d.]+$/.test(hostname)
}

function toRegistration(sessionUid: string): string {
  return `register ${sessionUid}`
}

function toSignIn(uid: string): string {
  return `sign-in ${uid}`
}

type Credential = z.infer<typeof Credential>

function parseCredential(text: string): Credential | undefined {
  try {
    return Credential.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/** Finds the challenge in what the browser says that it has signed. */
function findChallenge(clientData: string): string | undefined {
  try {
    return ClientData.safeParse(JSON.parse(Buffer.from(clientData, 'base64url').toString())).data
      ?.challenge
  } catch {
    return undefined
  }
}

/** Decodes the person's id, which the authenticator stores with a passkey. */
function decodeHandle(handle: string | undefined): string | undefined {
  const text = Buffer.from(handle ?? '', 'base64url').toString()
  return Passkey.shape.user_id.safeParse(text).data
}

/** Returns the result of a verification; undefined if the library refuses, which it does by throwing. */
async function settle<Verified>(verifying: Promise<Verified>): Promise<Verified | undefined> {
  try {
    return await verifying
  } catch {
    return undefined
  }
}
