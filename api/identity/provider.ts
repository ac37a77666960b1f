import { randomUUID, timingSafeEqual } from 'node:crypto'
import type {
  Account,
  Adapter,
  Configuration,
  KoaContextWithOIDC,
  default as Provider,
} from 'oidc-provider'
import type { Redis } from '../../jobs/redis.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import type { TokenKeys } from '../../pipeline/core/keys/token-keys.ts'
import { requireValue } from '../../pipeline/core/present.ts'
import { findPerson } from '../../pipeline/read/lookups/people.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import {
  clientAuthMethods,
  grantTypes,
  paths,
  responseTypes,
  scopes,
} from '../auth/server-metadata.ts'
import type { Services } from '../operation/services.ts'
import { renderDocument } from '../pages/parts/document.tsx'
import { hashSecret, openClientRecords } from './client-records.ts'
import { DASHBOARD_CALLBACK, DASHBOARD_CLIENT } from './dashboard-client.ts'
import { buildSignInError } from './pages.tsx'
import { openPendingRequests } from './pending-requests.ts'
import { markCompleted, RedisModels } from './redis-models.ts'
import { replaceMetadata } from './registration.ts'
import {
  RETRY_AFTER_S,
  TEMPORARILY_UNAVAILABLE,
  UNAVAILABLE,
  withUnavailable,
} from './unavailable.ts'

/** Seconds that a person may take to sign in and consent. */
const INTERACTION_S = 30 * 60
/** Seconds in which an application must exchange its code for tokens. */
const CODE_S = 60
const SESSION_S = (14 * DAY) / SECOND
/** Seconds after which a person is asked for their consent again. */
const GRANT_S = (180 * DAY) / SECOND

/** Characters of what an application sends for itself. */
const CHARS_MAX = { state: 2_048, nonce: 512 }

const UNAVAILABLE_STATUS = 503

interface ProviderDeps {
  issuer: string
  keys: TokenKeys
  redis: Redis
  services: Services
}

/**
 * Creates the authorization server. It issues codes to registered applications that use PKCE, and for a code
 * an access token that counts for the whole registry. The library is loaded when somebody first signs in.
 */
export async function createProvider(deps: ProviderDeps): Promise<Provider> {
  const { default: Provider, errors } = await import('oidc-provider')
  const { issuer, keys, redis, services } = deps
  const stored = new RedisModels(redis, () => {
    throw new errors.InvalidGrant('used already')
  })
  const clients = openClientRecords(services, {
    refuseRedirect: uri => {
      throw new errors.InvalidRedirectUri(`the scheme of ${uri} belongs to no application`)
    },
    refuseMetadata: text => {
      throw new errors.InvalidClientMetadata(text)
    },
  })
  const pending = openPendingRequests({
    keys: keys.sealing,
    refuseLong: () => {
      throw new errors.InvalidRequest('the authorization request is too long')
    },
    async use(uid) {
      if (await markCompleted(redis, uid, INTERACTION_S)) return
      throw new errors.SessionNotFound('the authorization request was completed already')
    },
  })
  const open = (name: string): Adapter => {
    if (name === 'Client') return clients
    return name === 'Interaction' ? pending : stored.open(name)
  }
  const unavailable = () =>
    Object.assign(new errors.CustomOIDCProviderError(TEMPORARILY_UNAVAILABLE, UNAVAILABLE), {
      status: UNAVAILABLE_STATUS,
      statusCode: UNAVAILABLE_STATUS,
      allow_redirect: false,
    })
  class RegistryProvider extends Provider {
    /** Offers no page that posts itself: it would need an inline script. */
    override registerResponseMode(
      ...[name, handler]: Parameters<Provider['registerResponseMode']>
    ) {
      if (name !== 'form_post') super.registerResponseMode(name, handler)
    }
  }
  const provider = new RegistryProvider(issuer, {
    adapter: (name: string) => withUnavailable(open(name), unavailable),
    ...buildConfiguration(deps, {
      refuseTarget: () => {
        throw new errors.InvalidTarget()
      },
      refuseLong: name => {
        throw new errors.InvalidRequest(`${name} is too long`)
      },
    }),
  })
  // The host and protocol of requests are set from the settings (endpoints.ts).
  provider.proxy = true
  provider.use(async (ctx, next) => {
    await next()
    if (ctx.status === UNAVAILABLE_STATUS) ctx.set('retry-after', String(RETRY_AFTER_S))
  })
  Object.assign(provider.Client.prototype, { compareClientSecret })
  provider.on('server_error', (_, error) => services.log.error({ error }, 'sign-in failed'))
  return provider
}

/** Compares the secret of an application with the hash that is stored in its place. */
function compareClientSecret(this: { clientSecret: string }, actual: string): boolean {
  const digest = Buffer.from(hashSecret(actual))
  const stored = Buffer.from(this.clientSecret)
  return digest.length === stored.length && timingSafeEqual(digest, stored)
}

/** Refusals of the library's classes, which exist once it is loaded. */
interface Refusals {
  refuseTarget(): never
  refuseLong(name: string): never
}

function buildConfiguration(
  { issuer, keys, services }: ProviderDeps,
  { refuseTarget, refuseLong }: Refusals,
): Configuration {
  const { config, reader } = services
  return {
    jwks: { keys: keys.private.map(key => ({ ...key })) },
    cookies: buildCookies(keys),
    routes: { ...paths },
    scopes: [...scopes],
    claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'] },
    // There is no userinfo endpoint: what a client may know of the person is in the ID token.
    conformIdTokenClaims: false,
    responseTypes: [...responseTypes],
    clientAuthMethods: [...clientAuthMethods],
    clientDefaults,
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    subjectTypes: ['public'],
    extraParams: buildLengthChecks(refuseLong),
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async (_, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: async () => false,
    ttl: buildLifetimes(config),
    features: buildFeatures(issuer, refuseTarget),
    interactions: { url: (_, { uid }) => `/sign-in/${uid}` },
    findAccount: async (_, id) => findAccount(reader, id),
    clients: [
      {
        client_id: DASHBOARD_CLIENT,
        client_name: 'Your dashboard',
        redirect_uris: [issuer + DASHBOARD_CALLBACK],
        grant_types: ['authorization_code'],
        application_type: 'web',
      },
    ],
    loadExistingGrant: ctx => loadExistingGrant(issuer, ctx),
    clientBasedCORS: () => true,
    renderError: (ctx, { error, error_description: text }) =>
      renderError(ctx, services, error, text),
    // The API has no way out to the network: nothing that a client names is fetched.
    fetch: async () => {
      throw new Error('the authorization server fetches nothing')
    },
  } as Configuration
}

/** Builds the checks of what an application sends for itself, which is carried along until its person has acted. */
function buildLengthChecks(refuseLong: (name: string) => never) {
  const checks = Object.entries(CHARS_MAX).map(([name, max]) => [
    name,
    (_: unknown, value: unknown) => {
      if (typeof value === 'string' && value.length > max) refuseLong(name)
    },
  ])
  return Object.fromEntries(checks)
}

function buildCookies(keys: TokenKeys): Configuration['cookies'] {
  return {
    keys: [...keys.cookies],
    names: {
      session: 'registry_session',
      interaction: 'registry_sign_in',
      resume: 'registry_resume',
    },
    long: { signed: true, httpOnly: true, sameSite: 'lax', path: '/' },
    short: { signed: true, httpOnly: true, sameSite: 'lax' },
  }
}

const clientDefaults: Configuration['clientDefaults'] = {
  // Applications on a person's own machine redirect to it; web addresses must still be https.
  application_type: 'native',
  grant_types: [...grantTypes],
  response_types: [...responseTypes],
  token_endpoint_auth_method: 'none',
  id_token_signed_response_alg: 'ES256',
}

/** Builds the lifetimes of what the library stores and issues, in seconds. */
function buildLifetimes({ LIMITS }: Config): Configuration['ttl'] {
  return {
    AccessToken: (LIMITS.accessTokenMinutes * MINUTE) / SECOND,
    AuthorizationCode: CODE_S,
    Grant: GRANT_S,
    IdToken: HOUR / SECOND,
    Interaction: INTERACTION_S,
    RefreshToken: (LIMITS.refreshTokenDays * DAY) / SECOND,
    Session: SESSION_S,
  }
}

/** Builds the switches of the protocol's optional parts. */
function buildFeatures(issuer: string, refuseTarget: () => never): Configuration['features'] {
  return {
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    registration: {
      enabled: true,
      initialAccessToken: false,
      issueRegistrationAccessToken: false,
      // Called between reading what an application asks for and checking it.
      idFactory: ({ oidc }) => {
        replaceMetadata(oidc.body)
        return randomUUID()
      },
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => issuer,
      useGrantedResource: () => true,
      getResourceServerInfo: (_, resource) =>
        isOwnResource(issuer, resource)
          ? {
              scope: scopes.join(' '),
              audience: issuer,
              accessTokenFormat: 'jwt',
              jwt: { sign: { alg: 'ES256' } },
            }
          : refuseTarget(),
    },
    revocation: { enabled: true },
    rpInitiatedLogout: { enabled: false },
    userinfo: { enabled: false },
  }
}

/** Finds a person with the claims that an ID token may have of them. */
function findAccount(reader: Reader, id: string): Account | undefined {
  const person = findPerson(reader, id)
  if (person === undefined) return undefined
  const { email, email_verified, name } = person
  const claims = {
    sub: id,
    ...(name !== null && { name }),
    ...(email !== null && { email, email_verified }),
  }
  return { accountId: id, claims: () => claims }
}

/**
 * Loads what the person has consented to before. The dashboard is the registry itself, so it needs no
 * consent.
 */
async function loadExistingGrant(issuer: string, { oidc }: KoaContextWithOIDC) {
  const { provider, result } = oidc
  const session = requireValue(oidc.session, 'session')
  const { clientId } = requireValue(oidc.client, 'client')
  const grantId = result?.consent?.grantId ?? session.grantIdFor(clientId)
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId)
  if (known !== undefined || clientId !== DASHBOARD_CLIENT) return known
  const grant = new provider.Grant({
    accountId: requireValue(session.accountId, 'account'),
    clientId,
  })
  grant.addOIDCScope('openid')
  grant.addResourceScope(issuer, 'openid')
  await grant.save()
  return grant
}

/** Tells whether a token may be issued for this resource: the registry, its REST API or its MCP tools. */
function isOwnResource(issuer: string, resource: string): boolean {
  return [issuer, `${issuer}/`, `${issuer}/api`, `${issuer}/mcp`].includes(resource)
}

/** Answers an error as a page where a browser asks, and else as the endpoints for applications do. */
function renderError(
  ctx: KoaContextWithOIDC,
  services: Services,
  error: string,
  text = error,
): void {
  if (!/\btext\/html\b/.test(ctx.get('accept'))) {
    ctx.body = { error, error_description: text }
    return
  }
  const { view, headers } = buildSignInError(text)
  ctx.set(headers)
  ctx.body = renderDocument(view, services, undefined)
}
