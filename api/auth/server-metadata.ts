import type { AuthorizationServer } from '../../pipeline/model/identity.ts'

export const scopes = ['openid', 'profile', 'email']

export const grantTypes = ['authorization_code', 'refresh_token'] as const
export const responseTypes = ['code'] as const

/** Methods by which applications authenticate: PKCE alone, or a secret as well. */
export const clientAuthMethods = ['none', 'client_secret_basic', 'client_secret_post'] as const

/** Paths of the protocol's endpoints. */
export const paths = {
  authorization: '/authorize',
  token: '/token',
  registration: '/register',
  revocation: '/revoke',
  jwks: '/oauth/jwks',
} as const

/** Builds the metadata of the registry's own authorization server (RFC 8414). */
export function buildOwnMetadata(issuer: string): AuthorizationServer {
  return {
    issuer,
    authorization_endpoint: issuer + paths.authorization,
    token_endpoint: issuer + paths.token,
    registration_endpoint: issuer + paths.registration,
    revocation_endpoint: issuer + paths.revocation,
    jwks_uri: issuer + paths.jwks,
    response_types_supported: [...responseTypes],
    grant_types_supported: [...grantTypes],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: [...clientAuthMethods],
    scopes_supported: [...scopes],
    authorization_response_iss_parameter_supported: true,
  }
}
