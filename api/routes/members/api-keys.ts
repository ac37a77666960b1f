import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { z } from 'zod'
import { refuse } from '../../../pipeline/core/errors.ts'
import {
  type ApiKey,
  KEY_PREFIX_CHARS,
  NewKeyPermissions,
  type StoredPrincipal,
} from '../../../pipeline/model/identity.ts'
import { ApiKeyMade, ApiKeys } from '../../../pipeline/model/responses/own-organization.ts'
import { listKeyPrefixes, listKeys } from '../../../pipeline/read/lookups/principals.ts'
import { requireKeyRights, resolveOrganization } from '../../auth/organization-access.ts'
import { OrganizationQuery } from '../../auth/organization-query.ts'
import { submitSecret } from '../../live/submit-secret.ts'
import { defineOperation } from '../../operation/operation.ts'
import { unwrapAnswer } from '../../operation/submission-result.ts'
import { noContent, replyOk } from '../../responses/reply.ts'
import { writeErrors } from '../write-errors.ts'

const SECRET_BYTES = 32

const declared = {
  group: 'Onboarding',
  access: 'bearer',
  cache: 'private',
  query: OrganizationQuery,
} as const

export const listApiKeys = defineOperation({
  ...declared,
  id: 'listApiKeys',
  method: 'GET',
  path: '/api/me/api-keys',
  summary: 'List your organization’s API keys',
  description:
    'For owners and admins, and for keys with the permission `admin:read` or `admin:*`. Revoked keys are left out, and secrets are never shown.',
  reply: { 200: ApiKeys },
  errors: ['invalid_request', 'forbidden'],
  handle: ({ query, principal, services: { reader } }) => {
    const belonging = resolveOrganization(principal, query.org)
    requireKeyRights(principal, belonging, 'admin:read')
    const prefixes = listKeyPrefixes(reader, belonging.org_id)
    const api_keys = listKeys(reader, belonging.org_id).map(key => toApiKey(key, prefixes))
    return replyOk({ api_keys })
  },
})

export const createApiKey = defineOperation({
  ...declared,
  id: 'createApiKey',
  method: 'POST',
  path: '/api/me/api-keys',
  summary: 'Create an API key for your organization',
  description:
    'For owners and admins, and for keys with the permission `admin:*`. `value` is the secret: keep ' +
    'it, since only its hash and first characters are stored. A key acts only for its organization. With the permission ' +
    '`read` it changes nothing: operations that write return 403. With `admin:read` it also lists keys, people and the ' +
    'audit log, and with `admin:*` it manages keys.',
  writes: true,
  isIdempotent: true,
  body: z.object({
    name: z
      .string()
      .trim()
      .min(1, 'must not be empty')
      .max(200)
      .describe('Name of the key, for your organization'),
    permissions: NewKeyPermissions.default([]).describe(
      'Permissions; a key without any can also edit hosted files, verify domains and add agents',
    ),
  }),
  reply: { 201: ApiKeyMade },
  errors: [...writeErrors, 'conflict'],
  handle: async ({ query, body: { name, permissions }, principal, submissionId, services }) => {
    const belonging = resolveOrganization(principal, query.org)
    requireKeyRights(principal, belonging, 'admin:*')
    const id = randomUUID()
    const value = `sk_${randomBytes(SECRET_BYTES).toString('base64url')}`
    const hash = createHash('sha256').update(value).digest('hex')
    const prefix = value.slice(0, KEY_PREFIX_CHARS)
    const { org_id: org } = belonging
    const created = { key_id: id, org, label: name, permissions, hash, prefix }
    const creation = { op: 'key.create', ...created } as const
    const requested = { org, name, permissions }
    const { created_at } = await submitSecret(services, submissionId, creation, requested)
    return { status: 201, body: { id, prefix, name, permissions, created_at, value } }
  },
})

export const revokeApiKey = defineOperation({
  ...declared,
  id: 'revokeApiKey',
  method: 'DELETE',
  path: '/api/me/api-keys/:id',
  summary: 'Revoke one of your organization’s API keys',
  description: 'The key stops working at once. A key can revoke itself.',
  writes: true,
  params: z.object({
    id: z.uuid().toLowerCase().describe('ID of the key, from the list of keys'),
  }),
  reply: { 204: null },
  errors: ['invalid_request', 'forbidden', 'not_found', 'unavailable'],
  handle: async ({ query, params: { id }, principal, services: { writer, reader } }) => {
    const belonging = resolveOrganization(principal, query.org)
    if (principal.id !== id) requireKeyRights(principal, belonging, 'admin:*')
    const { org_id } = belonging
    const isTheirs = listKeys(reader, org_id).some(({ key_id }) => key_id === id)
    if (!isTheirs) refuse('not_found', 'your organization has no such key')
    unwrapAnswer(await writer.submit({ op: 'key.revoke', key_id: id, org_id }))
    return noContent
  },
})

function toApiKey(
  { key_id, label, permissions, created_at }: StoredPrincipal,
  prefixes: ReadonlyMap<string, string>,
): ApiKey {
  const prefix = prefixes.get(key_id) ?? null
  return { id: key_id, prefix, name: label, permissions, created_at }
}
