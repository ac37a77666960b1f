import { createPublicKey, sign, verify } from 'node:crypto'
import { z } from 'zod'
import { SECOND } from '../../../pipeline/core/clock.ts'
import { loadSigningKey } from '../signing-keys.ts'
import type { TaskContext } from '../task-context.ts'

/** Claims of an approval, as a seller reads them. Times are seconds. */
const Approval = z.object({
  iss: z.string(),
  sub: z.string().describe('Id of the plan'),
  jti: z.string().describe('Id of the check'),
  iat: z.number(),
  exp: z.number(),
  status: z.enum(['approved', 'conditions']),
  tool: z.string().optional(),
  caller: z.string(),
  amount: z.number().optional().describe('Most that may be spent, in the currency of the plan'),
  currency: z.string(),
})
export type Approval = z.infer<typeof Approval>

const toBase64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Signs an approval as a compact JWS (RFC 7515) with EdDSA. */
export function signApproval(
  approval: Approval,
  { state, protocolName, now }: TaskContext,
): string {
  const { kid, privateKey } = loadSigningKey(state, 'governance-signing', now)
  const header = { alg: 'EdDSA', typ: `${protocolName}-gov+jws`, kid }
  const signed = `${toBase64(header)}.${toBase64(approval)}`
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`
}

/**
 * Reads an approval of our own governance tenant. Undefined for any other token, which concerns another
 * agent. `refused` says why one of ours is not valid.
 */
export function readApproval(
  token: string,
  context: TaskContext,
): { approval: Approval } | { refused: string } | undefined {
  const [header, body, signature, ...rest] = token.split('.')
  if (!header || !body || !signature || rest.length > 0) return undefined
  const approval = Approval.safeParse(parseJson(body))
  if (!approval.success || approval.data.iss !== toIssuer(context)) return undefined
  const { privateKey } = loadSigningKey(context.state, 'governance-signing', context.now)
  const isSigned = verify(
    null,
    Buffer.from(`${header}.${body}`),
    createPublicKey(privateKey),
    Buffer.from(signature, 'base64url'),
  )
  if (!isSigned) return { refused: 'its signature is invalid' }
  if (approval.data.exp * SECOND <= context.now) return { refused: 'it has expired' }
  return { approval: approval.data }
}

/** Returns the address of the governance tenant, which issues approvals. */
export function toIssuer({ toAddress }: TaskContext): string {
  return toAddress('governance')
}

function parseJson(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString())
  } catch {
    return undefined
  }
}
