import { z } from 'zod'
import { defineSetting } from './define-setting.ts'
import { mailbox } from './place-kinds.ts'
import { httpUrl, issuerUrl, text } from './setting-kinds.ts'

/** Settings of how people sign in and pay. */
export const signInSettings = {
  AUTH_ISSUER: defineSetting(
    issuerUrl.optional(),
    'identity provider whose user tokens (JWT) are accepted, exactly as their claim `iss` has it; without it the registry issues the tokens itself (`REGISTRY_SIGNING_KEYS`)',
  ),
  AUTH_JWKS_URL: defineSetting(
    httpUrl.optional(),
    'address of the identity provider’s public keys (JWKS); a crawler reads them at start, hourly, and when a token names an unknown key',
  ),
  AUTH_AUDIENCE: defineSetting(text.optional(), 'claim `aud` that a user token must have'),
  AUTH_CLIENT_ID: defineSetting(
    text.optional(),
    'claim `azp`, or else `client_id`, that a user token must have; AUTH_ISSUER requires this or AUTH_AUDIENCE',
  ),
  OPENID_ISSUER: defineSetting(
    issuerUrl.optional(),
    'OpenID provider at which people sign in instead of by links and passkeys, exactly as its metadata have it in `issuer`; its redirect address is BASE_URL with `/sign-in/return`',
  ),
  OPENID_CLIENT_ID: defineSetting(
    text.optional(),
    'id of the registry as an application of that provider; OPENID_ISSUER requires it',
  ),
  OPENID_CLIENT_SECRET: defineSetting(
    text.optional(),
    'secret of the registry there; without it the registry is a public client, by PKCE alone',
    { secret: true },
  ),
  OPENID_NAME: defineSetting(
    text.max(60).optional(),
    'what people call that provider, for the button “Continue with …”',
    { shown: 'its host' },
  ),
  SMTP_URL: defineSetting(
    z
      .string()
      .regex(
        /^smtps?:\/\/[^/\s]+\/?$/,
        'must be smtp://HOST:PORT or smtps://USER:PASSWORD@HOST:PORT',
      )
      .optional(),
    'mail server by which a crawler sends sign-in links, and emails about what people watch; without it they are printed in the terminal, and only if BASE_URL is an address of this machine',
    { secret: true },
  ),
  MAIL_FROM: defineSetting(
    mailbox.optional(),
    'sender of emails, such as `Registry <registry@example.org>`; SMTP_URL requires it',
  ),
  BILLING_WEBHOOK_SECRET: defineSetting(
    z.string().min(16, 'must have at least 16 characters').optional(),
    'secret with which the billing provider signs its webhooks; without it they are refused',
    { secret: true },
  ),
}
