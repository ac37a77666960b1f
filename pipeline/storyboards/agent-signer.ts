import { getRegistrableDomain } from '../core/domain.ts'
import { isLoopback } from '../core/loopback.ts'
import type { ValidationResult } from '../model/storyboards/storyboard-check.ts'
import { AgentKeys } from '../signing/agent-keys.ts'
import { JwksKeys } from '../signing/jwks-keys.ts'
import { buildWebhookProfile, toErrorCode } from '../signing/profile.ts'
import type { SignedRequest } from '../signing/signature-base.ts'
import { type Verifier, verifySignature } from '../signing/verify-signature.ts'
import type { AgentSession } from './agent-session.ts'
import type { RunState } from './run-state.ts'
import { PUBLIC_NAME } from './schemas.ts'
import type { Delivery } from './webhook-inbox.ts'

/**
 * Checks the signature of each webhook, by the keys that the brand.json of the agent’s host or domain leads to.
 * What was sent before is known for the whole run.
 */
export async function checkDeliverySignatures(
  deliveries: readonly Delivery[],
  state: RunState,
  session: AgentSession,
): Promise<ValidationResult> {
  const verifier = buildVerifier(state, session)
  const now = Math.floor(session.now() / 1_000)
  const refusals: string[] = []
  for (const { url, headers, body } of deliveries) {
    const request = { method: 'POST', url, headers, body: Buffer.from(body, 'base64') }
    const refusal = await verify(request, verifier, now, state)
    if (refusal !== undefined) refusals.push(refusal)
  }
  const passed = refusals.length === 0
  return {
    check: 'webhook_signature',
    passed,
    description: 'Each webhook is signed by a key of the agent (RFC 9421)',
    ...(!passed && { expected: 'a valid signature', actual: refusals }),
  }
}

/** Verifies a webhook by the profile of either name of the protocol; returns the code of its refusal. */
async function verify(
  request: SignedRequest,
  verifier: Omit<Verifier, 'profile'>,
  now: number,
  { context: { protocolName } }: RunState,
): Promise<string | undefined> {
  let code: string | undefined
  for (const name of new Set([protocolName, PUBLIC_NAME])) {
    const profile = buildWebhookProfile(name)
    const verified = await verifySignature(request, { ...verifier, profile }, now)
    if (verified.outcome !== 'refused') return undefined
    if (code === undefined || verified.refusal !== 'tag_invalid') {
      code = toErrorCode(profile, verified.refusal)
    }
  }
  return code
}

function buildVerifier({ replays }: RunState, session: AgentSession): Omit<Verifier, 'profile'> {
  const { origin, host, hostname, protocol } = new URL(session.url)
  const fetchJson = async (url: string) => {
    // An agent on this machine may have no certificate.
    const own = protocol === 'http:' ? url.replace(`https://${host}/`, `${origin}/`) : url
    const answer = await session.readDocument(own)
    if (answer.kind !== 'answered' || answer.http?.status !== 200) return undefined
    return { value: answer.outcome.payload, url: own }
  }
  const domains = [...new Set([host, getRegistrableDomain(hostname) ?? host])]
  const now = () => Math.floor(session.now() / 1_000)
  const signers = domains.map(
    brandDomain => new AgentKeys({ agentUrl: session.url, brandDomain, fetchJson, now }),
  )
  // One on this machine is declared by the address that others call, if at all.
  const local = isLoopback(hostname)
    ? [new JwksKeys(`${origin}/.well-known/jwks.json`, fetchJson, now)]
    : []
  return {
    async findKey(keyid, created) {
      for (const signer of [...signers, ...local]) {
        const key = await signer.findKey(keyid, created)
        if (key !== undefined) return key
      }
      return undefined
    },
    replays,
  }
}
