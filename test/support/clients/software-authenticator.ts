import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

const USER_PRESENT = 1
const USER_VERIFIED = 4
/** Beginning of a COSE key for ES256: two coordinates follow. */
const COSE_ES256 = '\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20'
const COSE_Y = '\x22\x58\x20'

const digest = (data: string | Buffer) => createHash('sha256').update(data).digest()

/** Claims of an authenticator and its browser about one sign-in; a test may falsify each. */
export interface AuthenticatorClaims {
  challenge: string
  origin: string
  rpId: string
  counter?: number
  flags?: number
  type?: string
  crossOrigin?: boolean
  userHandle?: string
}

/** Creates a passkey whose answers a test can forge. */
export function createPasskey(userId: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x, y } = publicKey.export({ format: 'jwk' })
  const id = randomBytes(16).toString('base64url')
  const cose = Buffer.concat([
    Buffer.from(COSE_ES256, 'latin1'),
    Buffer.from(x!, 'base64url'),
    Buffer.from(COSE_Y, 'latin1'),
    Buffer.from(y!, 'base64url'),
  ])
  return {
    id,
    publicKey: cose.toString('base64url'),
    /** Answers a challenge; returns the JSON that the browser sends. */
    answer({
      challenge,
      origin,
      rpId,
      userHandle = userId,
      ...claims
    }: AuthenticatorClaims): string {
      const { counter = 1, flags = USER_PRESENT | USER_VERIFIED, type = 'webauthn.get' } = claims
      const { crossOrigin = false } = claims
      const clientData = Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin }))
      const count = Buffer.alloc(4)
      count.writeUInt32BE(counter)
      const data = Buffer.concat([digest(rpId), Buffer.from([flags]), count])
      const signature = sign('sha256', Buffer.concat([data, digest(clientData)]), privateKey)
      return JSON.stringify({
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: clientData.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: signature.toString('base64url'),
          userHandle: Buffer.from(userHandle).toString('base64url'),
        },
      })
    },
  }
}
