import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { SECOND } from '../../pipeline/core/clock.ts'
import { type FetchJson, findInKeySet } from '../../pipeline/signing/key-set.ts'
import { OperatorKeys } from '../../pipeline/signing/operator-keys.ts'
import { type Refusal, type SigningProfile, toErrorCode } from '../../pipeline/signing/profile.ts'
import type { Nonce, ReplayStore } from '../../pipeline/signing/replay-store.ts'
import { verifySignature } from '../../pipeline/signing/verify-signature.ts'
import { TaskError } from './errors.ts'
import { findOperator } from './find-operator.ts'
import { readCalls } from './read-calls.ts'
import { SharedReplayStore } from './state/shared-replays.ts'
import type { AgentState } from './state/store.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The body as bytes, which the signature covers. */
    bytes?: Buffer
    /** The key that signed the request: its id, after the domain of the operator that has it. */
    signedBy?: string
  }
}

export interface SignatureOptions {
  /** Profiles of the signatures, each with a tag of its own; the first refuses what has none of the tags. */
  profiles: readonly [SigningProfile, ...SigningProfile[]]
  state: AgentState
  /** Returns the time in milliseconds. */
  now(): number
  /** Returns the address that a caller signs for a path of this server. */
  toSignedUrl(path: string): string
  /** Fetches brand.json files and key sets of operators; without it only `trusted` keys sign. */
  fetchJson?: FetchJson | undefined
  /** A JWKS of keys that may sign for any operator, such as those of a test. */
  trusted?: unknown
  /** Ids of keys that may no longer sign. */
  revoked: readonly string[]
  protocolName: string
  /** Tasks that must be signed. */
  requiredFor: readonly string[]
}

/** Longest id of a key that may sign, in characters. */
const KEYID_LENGTH_MAX = 300

/** Operators whose keys are cached. */
const OPERATORS_MAX = 1000

/**
 * Verifies the signed requests of a scope, and refuses unsigned ones where a signature is required, before
 * a task is reached. An unsigned request that needs no signature passes.
 */
export function verifyRequests(app: FastifyInstance, options: SignatureOptions): void {
  keepBytes(app)
  const verifier = new RequestVerifier(options)
  app.addHook('onRequest', async (request, reply) => {
    // Otherwise the framework would refuse the unknown media type before the signature is verified.
    const isOfTwoTypes = (request.headers['content-type'] ?? '').includes(',')
    if (request.headers.signature === undefined || !isOfTwoTypes) return
    await refuseSignature(reply, toErrorCode(options.profiles[0], 'header_malformed'))
  })
  app.addHook('preHandler', async (request, reply) => {
    if (request.method !== 'POST') return
    const refusal = await verifier.verify(request)
    if (refusal) await refuseSignature(reply, toErrorCode(options.profiles[0], refusal))
  })
}

/** Parses JSON like the framework, and keeps the bytes. */
function keepBytes(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request: FastifyRequest, body: Buffer, done) => {
      request.bytes = body
      parse(request, body.toString(), done)
    },
  )
}

async function refuseSignature(reply: FastifyReply, code: string): Promise<void> {
  const failure = new TaskError(
    'UNAUTHORIZED',
    `The signature of this request was refused: ${code}`,
  )
  await reply
    .code(401)
    .headers({
      'www-authenticate': `Signature error="${code}"`,
      'access-control-allow-origin': '*',
    })
    .send({ code: failure.code, message: failure.message, error: code })
}

class RequestVerifier {
  readonly #options: SignatureOptions
  readonly #replays: SharedReplayStore
  readonly #operators = new Map<string, OperatorKeys>()

  constructor(options: SignatureOptions) {
    this.#options = options
    this.#replays = new SharedReplayStore(options.state)
  }

  /** Verifies a request and records who signed it; returns why it is refused. */
  async verify(request: FastifyRequest): Promise<Refusal | undefined> {
    const { now, state, toSignedUrl, protocolName, requiredFor, revoked } = this.#options
    const path = request.raw.url ?? '/'
    const calls = readCalls(request.body, protocolName)
    const isSigned = request.headers.signature !== undefined
    const operator = isSigned ? findOperator(calls, toTenant(path), state) : undefined
    // Operators choose the ids of their keys freely, so equal ids of different operators are kept apart.
    let owner = ''
    const toSigner = (keyid: string) => (owner === '' ? keyid : `${owner} ${keyid}`)
    const verification = await verifySignature(
      {
        method: request.method,
        url: toSignedUrl(path),
        // Repeated headers are a fault, which the joined ones would hide.
        headers: request.raw.headersDistinct ?? request.headers,
        body: request.bytes ?? '',
      },
      {
        profile: this.#findProfile(request),
        findKey: (keyid, created) => {
          // Records of a signer are stored under this id, so its length is limited.
          if (keyid.length > KEYID_LENGTH_MAX) return undefined
          const trusted = findInKeySet(this.#options.trusted, keyid)
          if (trusted || operator === undefined) return trusted
          owner = operator
          return this.#findOperator(operator)?.findKey(keyid, created)
        },
        checkRevocation: keyid => (revoked.includes(keyid) ? 'revoked' : 'valid'),
        replays: nameSigners(this.#replays, toSigner),
        isRequired: calls.some(({ task }) => requiredFor.includes(task)),
      },
      Math.floor(now() / SECOND),
    )
    if (verification.outcome === 'refused') return verification.refusal
    if (verification.outcome === 'verified') request.signedBy = toSigner(verification.keyid)
    return undefined
  }

  /** Finds the profile whose tag a request names. */
  #findProfile({ headers }: FastifyRequest): SigningProfile {
    const { profiles } = this.#options
    const named = String(headers['signature-input'] ?? '')
    return profiles.find(({ tag }) => named.includes(`"${tag}"`)) ?? profiles[0]
  }

  #findOperator(domain: string): OperatorKeys | undefined {
    const { fetchJson, now } = this.#options
    const known = this.#operators.get(domain)
    if (known || !fetchJson) return known
    const keys = new OperatorKeys(domain, fetchJson, () => Math.floor(now() / SECOND))
    if (this.#operators.size >= OPERATORS_MAX) this.#operators.clear()
    this.#operators.set(domain, keys)
    return keys
  }
}

/** Reads the tenant of a path of this server. */
function toTenant(path: string): string {
  return path.split('/')[1] ?? ''
}

/** Stores nonces by signer instead of by the bare id of the key. */
function nameSigners(replays: ReplayStore, toSigner: (keyid: string) => string): ReplayStore {
  const name = (nonce: Nonce) => ({ ...nonce, keyid: toSigner(nonce.keyid) })
  return {
    has: (nonce, now) => replays.has(name(nonce), now),
    isFull: (keyid, now) => replays.isFull(toSigner(keyid), now),
    add: (nonce, now) => replays.add(name(nonce), now),
  }
}
