import { z } from 'zod'
import { EmailAddress } from './person.ts'

const endpoint = z.url({ protocol: /^https?$/ }).max(2_000)

/** The part of an OpenID provider's metadata that the registry uses (OpenID Connect Discovery). */
export const OpenIdProvider = z.object({
  issuer: z.string().max(2_000),
  authorization_endpoint: endpoint,
  token_endpoint: endpoint,
  jwks_uri: endpoint,
  /** Page on which people sign out there; absent without one. */
  end_session_endpoint: endpoint.exactOptional(),
  /** True if its answers name it in `iss` (RFC 9207); absent is false. */
  authorization_response_iss_parameter_supported: z.boolean().exactOptional(),
  /** Methods by which the registry may authenticate for a token; absent means HTTP Basic. */
  token_endpoint_auth_methods_supported: z.array(z.string().max(200)).max(50).exactOptional(),
})
export type OpenIdProvider = z.infer<typeof OpenIdProvider>

/** A code of the provider's answer, with what the sign-in that it belongs to began with. */
export const OpenIdCode = z.object({
  /** Provider at which the sign-in began. */
  issuer: z.string().max(2_000),
  code: z.string().min(1).max(4_096),
  /** Secret of PKCE (RFC 7636). */
  code_verifier: z.string().max(128),
  /** Random value that the ID token must contain. */
  nonce: z.string().max(128),
  /** Address to which the provider sent its answer. */
  redirect_uri: z.url().max(2_000),
})
export type OpenIdCode = z.infer<typeof OpenIdCode>

/** A person as a verified ID token describes them. */
export const OpenIdPerson = z.object({
  issuer: z.string(),
  subject: z.string().min(1).max(255),
  /** Address that the provider has verified. An unverified one is dropped, since it could belong to anybody. */
  email: EmailAddress.nullable(),
  name: z.string().nullable(),
})
export type OpenIdPerson = z.infer<typeof OpenIdPerson>

/**
 * Why a provider signed nobody in: it did not answer, it refused the code, or its answer is not to be
 * trusted. The detail is for logs.
 */
export interface OpenIdFailure {
  failed: 'unreachable' | 'refused' | 'untrusted'
  detail: string
}
