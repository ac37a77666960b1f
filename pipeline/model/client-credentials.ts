import { z } from 'zod'
import type { PublicErrorName } from '../core/errors.ts'
import { SECRET_CHARS_MIN } from '../core/keys/sealing.ts'
import { canBePublic } from '../core/public-name.ts'
import { parseRequestUrl } from '../core/url.ts'

const RESOURCES_MAX = 8
const RESOURCES_CHARS = 8_192
/** Matches the name of an environment variable as clients write it; it means nothing here. */
const ENVIRONMENT_REFERENCE = /^\$ENV:/

function createFault(error: PublicErrorName, message: string) {
  return { error: message, params: { error } }
}

const secret = (min: number, max: number) =>
  z
    .string()
    .min(min)
    .max(max)
    .refine(
      text => !ENVIRONMENT_REFERENCE.test(text),
      createFault('invalid_env_reference', 'must be the value, not the name of a variable'),
    )

const resource = z.string().min(1).max(2_048)

/** Client credentials (OAuth 2.0, RFC 6749 section 4.4) by which an agent gives out access tokens. */
export const ClientCredentials = z.object({
  token_endpoint: z
    .string()
    .min(1)
    .max(2_048)
    .refine(
      isTokenEndpoint,
      createFault('invalid_url', 'must be an https URL on the public internet'),
    )
    .describe('HTTPS URL of the endpoint that issues tokens'),
  client_id: secret(1, 2_048).describe('Client ID of the registry at the authorization server'),
  client_secret: secret(SECRET_CHARS_MIN, 8_192).describe(
    'Client secret; stored encrypted and never shown again',
  ),
  scope: z.string().min(1).max(1_024).optional().describe('Scopes to request, separated by spaces'),
  resource: z
    .union([resource, z.array(resource).min(1).max(RESOURCES_MAX)])
    .refine(
      all => [all].flat().join('').length <= RESOURCES_CHARS,
      createFault('aggregate_too_long', `must have at most ${RESOURCES_CHARS} characters together`),
    )
    .optional()
    .describe('Resources to request (RFC 8707), at most eight'),
  audience: z
    .string()
    .min(1)
    .max(2_048)
    .optional()
    .describe('Audience of the token, if the server requires one'),
  auth_method: z
    .enum(['basic', 'body'])
    .default('basic')
    .describe('How the client authenticates: by `basic` authentication, or in the `body`'),
})
export type ClientCredentials = z.infer<typeof ClientCredentials>

function isTokenEndpoint(text: string): boolean {
  const url = parseRequestUrl(text)
  if (url === undefined || url.protocol !== 'https:') return false
  return canBePublic(url.hostname) && url.username === '' && url.password === ''
}

/** A fault of a body by the code that clients know, and the field that has it. */
export interface NamedFault {
  error: PublicErrorName
  field: string
}

/** Names a fault of client credentials. `input` is reported with each issue. */
export function nameFault(issue: z.core.$ZodIssue): NamedFault {
  const [field] = issue.path
  if (field === undefined) {
    return { error: 'invalid_blob_shape', field: 'oauth_client_credentials' }
  }
  return { error: chooseCode(issue), field: String(field) }
}

function chooseCode(issue: z.core.$ZodIssue): PublicErrorName {
  switch (issue.code) {
    case 'custom':
      return issue.params?.error ?? 'invalid_field_type'
    case 'too_big':
      return issue.origin === 'array' ? 'array_too_many' : 'field_too_long'
    case 'too_small':
      if (issue.origin === 'array') return 'array_too_few'
      return issue.input === '' ? 'missing_field' : 'field_too_short'
    case 'invalid_union':
      return chooseUnionCode(issue)
    default:
      if (issue.input === undefined) return 'missing_field'
      return issue.path[0] === 'auth_method' ? 'invalid_auth_method_value' : 'invalid_field_type'
  }
}

/** Chooses the code by the alternative of the type that was sent. */
function chooseUnionCode({ errors }: z.core.$ZodIssueInvalidUnion): PublicErrorName {
  const meant = errors.map(([first]) => first).find(first => first?.code !== 'invalid_type')
  return meant === undefined ? 'invalid_field_type' : chooseCode(meant)
}
