import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { z } from 'zod'
import { refuse } from '../../pipeline/core/errors.ts'
import { keyPermissions } from '../../pipeline/core/standing.ts'
import { keysOf } from '../../pipeline/index/points/principals.ts'
import type { StoredPrincipal } from '../../pipeline/model/answers.ts'
import { ApiKeyMade, ApiKeys } from '../../pipeline/model/answers-identity.ts'
import type { ApiKey } from '../../pipeline/model/identity.ts'
import { operation } from '../operation.ts'
import { OrganizationQuery } from '../organization-query.ts'
import { noContent, ok } from '../reply.ts'
import { organizationAsked, requireKeyRights } from '../standing.ts'
import { doneOrRefuse } from '../submitted.ts'

const SECRET_BYTES = 32

const declared = {
  group: 'Onboarding',
  access: 'bearer',
  cache: 'private',
  query: OrganizationQuery,
} as const

export const listApiKeys = operation({
  ...declared,
  id: 'listApiKeys',
  method: 'GET',
  path: '/api/me/api-keys',
  summary: 'The API keys of your organization',
  description:
    'For owners and admins, and for keys with the permission `admin:read` or `admin:*`. Keys that ' +
    'were revoked are not among them, and no secret is.',
  reply: { 200: ApiKeys },
  errors: ['invalid_request', 'forbidden'],
  handle: ({ query, principal, services: { reader } }) => {
    const belonging = organizationAsked(principal, query.org)
    requireKeyRights(principal, belonging, 'admin:read')
    return ok({ api_keys: keysOf(reader, belonging.org_id).map(shownKey) })
  },
})

export const createApiKey = operation({
  ...declared,
  id: 'createApiKey',
  method: 'POST',
  path: '/api/me/api-keys',
  summary: 'Make an API key of your organization',
  description:
    'For owners and admins, and for keys with the permission `admin:*`. `value` is the secret: keep ' +
    'it, since only its hash is stored. A key acts for its organization and no other one; it ' +
    'manages keys only with a permission to.',
  writes: true,
  body: z.object({
    name: z.string().trim().min(1, 'must not be empty').max(200),
    permissions: z.array(z.enum(keyPermissions)).max(keyPermissions.length).default([]),
  }),
  reply: { 201: ApiKeyMade },
  errors: ['invalid_request', 'forbidden', 'too_large', 'unsupported_media_type', 'unavailable'],
  handle: async ({ query, body: { name, permissions }, principal, services: { desk } }) => {
    const belonging = organizationAsked(principal, query.org)
    requireKeyRights(principal, belonging, 'admin:*')
    const id = randomUUID()
    const value = `sk_${randomBytes(SECRET_BYTES).toString('base64url')}`
    const hash = createHash('sha256').update(value).digest('hex')
    const { org_id: org } = belonging
    const created = { key_id: id, org, label: name, permissions, hash }
    const { created_at } = doneOrRefuse(await desk.submit({ op: 'key.create', ...created }))
    return { status: 201, body: { id, name, permissions, created_at, value } }
  },
})

export const revokeApiKey = operation({
  ...declared,
  id: 'revokeApiKey',
  method: 'DELETE',
  path: '/api/me/api-keys/:id',
  summary: 'Revoke an API key of your organization',
  description: 'From then on every process refuses it. A key may revoke itself.',
  writes: true,
  params: z.object({ id: z.uuid().toLowerCase() }),
  reply: { 204: null },
  errors: ['invalid_request', 'forbidden', 'not_found', 'unavailable'],
  handle: async ({ query, params: { id }, principal, services: { desk, reader } }) => {
    const belonging = organizationAsked(principal, query.org)
    if (principal.id !== id) requireKeyRights(principal, belonging, 'admin:*')
    const { org_id } = belonging
    const isTheirs = keysOf(reader, org_id).some(({ key_id }) => key_id === id)
    if (!isTheirs) refuse('not_found', 'your organization has no such key')
    doneOrRefuse(await desk.submit({ op: 'key.revoke', key_id: id, org_id }))
    return noContent
  },
})

function shownKey({ key_id, label, permissions, created_at }: StoredPrincipal): ApiKey {
  return { id: key_id, name: label, permissions, created_at }
}
