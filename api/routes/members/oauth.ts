import { refuse } from '../../../pipeline/core/errors.ts'
import { AuthorizationServer } from '../../../pipeline/model/identity.ts'
import { ProtectedResource } from '../../../pipeline/model/responses/own-organization.ts'
import { findIssuer } from '../../../pipeline/read/lookups/issuers.ts'
import { buildOwnMetadata, scopes } from '../../auth/server-metadata.ts'
import { defineOperation } from '../../operation/operation.ts'
import type { Services } from '../../operation/services.ts'
import { replyOk } from '../../responses/reply.ts'

export const describeAuthorizationServer = defineOperation({
  id: 'describeAuthorizationServer',
  method: 'GET',
  path: '/.well-known/oauth-authorization-server',
  summary: 'Get the metadata of the authorization server',
  description:
    'Metadata (RFC 8414) of the registry, where people sign in and applications register, or of the identity ' +
    'provider that its settings name instead. Returns 404 if that provider publishes no such document, or if ' +
    'only API keys are accepted.',
  access: 'public',
  cache: 'document',
  reply: { 200: AuthorizationServer },
  errors: ['not_found'],
  handle: ({ services }) => replyOk(buildServerMetadata(services)),
})

/** Returns the metadata of the registry, or another issuer's own, to which nothing is added. */
function buildServerMetadata({
  config,
  reader,
  isAuthorizationServer,
  baseUrl,
}: Services): AuthorizationServer {
  const { AUTH_ISSUER: issuer } = config
  if (isAuthorizationServer) return buildOwnMetadata(baseUrl())
  if (issuer === undefined) return refuse('not_found', 'no authorization server: API keys only')
  const server = findIssuer(reader, issuer)?.server
  return (
    server ?? refuse('not_found', `${issuer} publishes no metadata that the registry understands`)
  )
}

/** Resources protected by tokens of the same issuer: the REST API and the MCP tools. */
export const protectedResources = (['api', 'mcp'] as const).map(resource =>
  defineOperation({
    id: `describeProtected${resource === 'api' ? 'Api' : 'Tools'}`,
    method: 'GET',
    path: `/.well-known/oauth-protected-resource/${resource}`,
    summary: `Get the OAuth metadata of /${resource}`,
    description:
      'Metadata of a protected resource (RFC 9728). No authorization server is named if only API keys are accepted.',
    access: 'public',
    cache: 'document',
    worksWithoutStores: true,
    reply: { 200: ProtectedResource },
    errors: [],
    handle: ({ services }) => {
      const { config, isAuthorizationServer } = services
      const issuer = isAuthorizationServer ? services.baseUrl() : config.AUTH_ISSUER
      return replyOk({
        resource: `${services.baseUrl()}/${resource}`,
        authorization_servers: issuer === undefined ? [] : [issuer],
        bearer_methods_supported: ['header'],
        scopes_supported: [...scopes],
      })
    },
  }),
)
