import { z } from 'zod'

/** Most passkeys of one person. */
export const PASSKEYS_MAX = 20

const base64url = z.string().regex(/^[A-Za-z0-9_-]+$/)
const owner = {
  user_id: z.uuid(),
  /** Id that the authenticator gave it; WebAuthn allows 1,023 bytes. */
  credential_id: base64url.max(1_364),
}
const counter = z.int().min(0).max(0xffff_ffff)

const key = {
  ...owner,
  /** COSE key. */
  public_key: base64url.max(8_000),
  counter,
  transports: z.array(z.string().max(40)).max(10),
  label: z.string().trim().min(1).max(100),
}

/** A passkey of a person. */
export const Passkey = z.object({
  ...key,
  created_at: z.iso.datetime(),
  used_at: z.iso.datetime().nullable(),
})
export type Passkey = z.infer<typeof Passkey>

export const passkeyOperations = [
  z.object({ op: z.literal('passkey.add'), ...key }),
  /** Records a sign-in; refused unless the counter of the authenticator has grown. */
  z.object({ op: z.literal('passkey.use'), ...owner, counter }),
  z.object({ op: z.literal('passkey.remove'), ...owner }),
] as const
