import { z } from 'zod'
import { SEALING_KEY } from '../keys/sealing.ts'
import { LOG_ORIGIN } from '../log-origin.ts'
import { defineSetting } from './define-setting.ts'
import { file } from './place-kinds.ts'

/** Settings of the keys of the registry. */
export const keySettings = {
  REGISTRY_SIGNING_KEYS: defineSetting(
    file.optional(),
    'file with a private Ed25519 key (JWK), or with a JWKS whose first key signs. Keys derived from it sign badges and webhooks (published at `/.well-known/jwks.json`) and the tokens of people who sign in here. Without it no badge is signed, no webhook is posted and nobody can sign in',
    { secret: true, shown: 'a key that `start` creates in DATA_DIR' },
  ),
  LOG_SIGNING_KEY: defineSetting(
    file.optional(),
    'file with a private Ed25519 key (JWK) that signs the tamper-evident log of all events (`/log/checkpoint`). Others store this key along with the log, so it cannot be replaced. Without it nothing is logged',
    { secret: true, shown: 'a key that `start` creates in DATA_DIR' },
  ),
  LOG_ORIGIN: defineSetting(
    z.string().regex(LOG_ORIGIN, 'must have no spaces and no +').optional(),
    'name of that log and of its key, such as registry.example/log. Keep it even if the registry moves',
    { shown: 'the name with which the log began: BASE_URL without its scheme, followed by /log' },
  ),
  CREDENTIALS_KEY: defineSetting(
    z
      .string()
      .regex(SEALING_KEY, 'must be 32 bytes in Base64 (openssl rand -base64 32)')
      .optional(),
    'key that encrypts the credentials that agents are tested with: 32 bytes in Base64 (`openssl rand -base64 32`). The API and the crawlers need it. Backups do not contain it. Without it, no credentials are accepted',
    { secret: true, shown: 'in the demo a key that `start` creates in DATA_DIR' },
  ),
}
