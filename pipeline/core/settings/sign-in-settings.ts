import { z } from 'zod'
import { defineSetting } from './define-setting.ts'
import { mailbox } from './place-kinds.ts'
import { httpUrl, issuerUrl, text } from './setting-kinds.ts'

/** Settings of how people sign in and pay. */
export const signInSettings = {
  AUTH_ISSUER: defineSetting(
    issuerUrl.optional(),
    'identity provider whose access tokens (JWT) are accepted; must equal their `iss` claim exactly. Without it the registry issues the tokens itself (`REGISTRY_SIGNING_KEYS`)',
  ),
  AUTH_JWKS_URL: defineSetting(
    httpUrl.optional(),
    'URL of the identity provider’s public keys (JWKS). A crawler reads them at start, every hour, and when a token names an unknown key',
  ),
  AUTH_AUDIENCE: defineSetting(text.optional(), '`aud` claim that an access token must have'),
  AUTH_CLIENT_ID: defineSetting(
    text.optional(),
    '`azp` claim, or else `client_id` claim, that an access token must have. AUTH_ISSUER requires this or AUTH_AUDIENCE',
  ),
  OPENID_ISSUER: defineSetting(
    issuerUrl.optional(),
    'OpenID provider with which people sign in, instead of with links and passkeys; must equal `issuer` in its metadata exactly. The redirect URI to register there is BASE_URL with `/sign-in/return`',
  ),
  OPENID_CLIENT_ID: defineSetting(
    text.optional(),
    'client ID of the registry at that provider; OPENID_ISSUER requires it',
  ),
  OPENID_CLIENT_SECRET: defineSetting(
    text.optional(),
    'client secret of the registry at that provider. Without it the registry is a public client and uses only PKCE',
    { secret: true },
  ),
  OPENID_NAME: defineSetting(
    text.max(60).optional(),
    'name of that provider on the button “Continue with …”',
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
    'mail server through which a crawler sends sign-in links and emails about what people watch. Without it, they are printed in the terminal, but only if BASE_URL is a URL of this machine',
    { secret: true },
  ),
  MAIL_FROM: defineSetting(
    mailbox.optional(),
    'sender of emails, such as `Registry <registry@example.org>`; SMTP_URL requires it',
  ),
  BILLING_WEBHOOK_SECRET: defineSetting(
    z.string().min(16, 'must have at least 16 characters').optional(),
    'secret that the billing provider signs its webhooks with. Without it, webhooks are rejected',
    { secret: true },
  ),
}
