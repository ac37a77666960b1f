import { getRegistrableDomain } from '../core/domain.ts'
import type { ValidationResult } from '../model/storyboards/storyboard-check.ts'
import { AgentKeys } from '../signing/agent-keys.ts'
import { buildWebhookProfile, toErrorCode } from '../signing/profile.ts'
import { type Verifier, verifySignature } from '../signing/verify-signature.ts'
import type { AgentSession } from './agent-session.ts'
import type { RunState } from './run-state.ts'
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
    const verified = await verifySignature(request, verifier, now)
    if (verified.outcome === 'refused')
      refusals.push(toErrorCode(verifier.profile, verified.refusal))
  }
  const passed = refusals.length === 0
  return {
    check: 'webhook_signature',
    passed,
    description: 'Each webhook is signed by a key of the agent (RFC 9421)',
    ...(!passed && { expected: 'a valid signature', actual: refusals }),
  }
}

function buildVerifier({ context, replays }: RunState, session: AgentSession): Verifier {
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
  return {
    profile: buildWebhookProfile(context.protocolName),
    async findKey(keyid, created) {
      for (const signer of signers) {
        const key = await signer.findKey(keyid, created)
        if (key !== undefined) return key
      }
      return undefined
    },
    replays,
  }
}
