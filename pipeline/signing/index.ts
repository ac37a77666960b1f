/** The public entry: other programs import it as `agentic-ad-registry/signing`. */

export type { ProfileVersion } from '../core/signing-profiles.ts'
export { AgentKeys, type AgentKeysOptions } from './agent-keys.ts'
export { checkContentDigest, computeContentDigest } from './content-digest.ts'
export { JwksKeys } from './jwks-keys.ts'
export { type Fetched, type FetchJson, findInKeySet } from './key-set.ts'
export type { Algorithm, PublicJwk } from './keys.ts'
export { OperatorKeys } from './operator-keys.ts'
export { fetchPins, type PinnedKey, type Pins } from './pins.ts'
export {
  buildRequestProfile,
  buildWebhookProfile,
  type Refusal,
  type SigningProfile,
  toErrorCode,
} from './profile.ts'
export {
  type DeliveryStore,
  MemoryDeliveryStore,
  receiveWebhook,
  Webhook,
  type WebhookAnswer,
  type WebhookReceiver,
} from './receive-webhook.ts'
export { MemoryReplayStore, type Nonce, type ReplayStore } from './replay-store.ts'
export { checkRevocation, type RevocationList } from './revocation-list.ts'
export { type SigningKey, type SigningOptions, signRequest } from './sign.ts'
export { buildSignatureBase, type SignedRequest } from './signature-base.ts'
export { normalizeTargetUri, type TargetUri } from './target-uri.ts'
export { type Verification, type Verifier, verifySignature } from './verify-signature.ts'
