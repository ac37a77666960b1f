import { randomBytes, sign } from 'node:crypto'
import { type Clock, SECOND } from '../core/clock.ts'
import type { SigningKey } from '../core/keys/signing-key.ts'

export interface SignerOptions {
  key: SigningKey
  /** Origin that serves the public key, without a trailing slash. */
  agent: string
  clock: Clock
}

/** Creates the three headers that sign one request to a URL. */
export type Signer = (url: URL) => Record<string, string>

const VALIDITY_SECONDS = 300
/** Parts of the request that the signature covers. */
const COMPONENTS = '("@authority" "signature-agent")'

/**
 * Creates a signer of requests by Web Bot Auth (RFC 9421), with which a site can verify the sender
 * by its published key. Each request has its own nonce and is valid for five minutes.
 */
export function createSigner({ key, agent, clock }: SignerOptions): Signer {
  const signatureAgent = `"${agent}"`
  return url => {
    const created = Math.floor(clock.now() / SECOND)
    const params =
      `${COMPONENTS};created=${created};expires=${created + VALIDITY_SECONDS};keyid="${key.id}"` +
      `;alg="ed25519";nonce="${randomBytes(32).toString('base64')}";tag="web-bot-auth"`
    const base = [
      `"@authority": ${url.host}`,
      `"signature-agent": ${signatureAgent}`,
      `"@signature-params": ${params}`,
    ].join('\n')
    const signature = sign(null, Buffer.from(base), key.private).toString('base64')
    return {
      'signature-agent': signatureAgent,
      'signature-input': `sig1=${params}`,
      signature: `sig1=:${signature}:`,
    }
  }
}
