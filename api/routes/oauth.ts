import { refuse } from '../../pipeline/core/errors.ts'
import { findIssuer } from '../../pipeline/index/points/issuers.ts'
import { ProtectedResource } from '../../pipeline/model/answers-identity.ts'
import { AuthorizationServer } from '../../pipeline/model/identity.ts'
import { operation } from '../operation.ts'
import { ok } from '../reply.ts'
import type { Services } from '../services.ts'

const scopes = ['openid', 'profile', 'email']

export const describeAuthorizationServer = operation({
  id: 'describeAuthorizationServer',
  method: 'GET',
  path: '/.well-known/oauth-authorization-server',
  summary: 'Where user tokens come from',
  description:
    'What the identity provider says of itself (RFC 8414): authorization, token and registration are ' +
    'its endpoints, the registry has none. 404 where only API keys are taken.',
  access: 'public',
  cache: 'document',
  reply: { 200: AuthorizationServer },
  errors: ['not_found'],
  handle: ({ services }) => ok(serverOf(services)),
})

/** Where the issuer publishes no document, its endpoints are where they are by convention. */
function serverOf({ config, reader }: Services): AuthorizationServer {
  const { AUTH_ISSUER: issuer, AUTH_JWKS_URL: jwks_uri } = config
  if (issuer === undefined) return refuse('not_found', 'no authorization server: API keys only')
  const base = issuer.replace(/\/+$/, '')
  return (
    findIssuer(reader, issuer)?.server ?? {
      issuer,
      authorization_endpoint: `${base}/authorize`,
      token_endpoint: `${base}/token`,
      registration_endpoint: `${base}/register`,
      ...(jwks_uri !== undefined && { jwks_uri }),
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      scopes_supported: scopes,
    }
  )
}

/** What is protected by tokens of the same issuer: the REST API, and the tools. */
export const protectedResources = (['api', 'mcp'] as const).map(resource =>
  operation({
    id: `describeProtected${resource === 'api' ? 'Api' : 'Tools'}`,
    method: 'GET',
    path: `/.well-known/oauth-protected-resource/${resource}`,
    summary: `How callers authenticate at /${resource}`,
    description: 'RFC 9728. No authorization server is named where only API keys are taken.',
    access: 'public',
    cache: 'document',
    reply: { 200: ProtectedResource },
    errors: [],
    handle: ({ services }) => {
      const { AUTH_ISSUER: issuer } = services.config
      return ok({
        resource: `${services.baseUrl()}/${resource}`,
        authorization_servers: issuer === undefined ? [] : [issuer],
        bearer_methods_supported: ['header'],
        scopes_supported: scopes,
      })
    },
  }),
)
