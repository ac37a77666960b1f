import { createHash } from 'node:crypto'
import { z } from 'zod'
import { type ImageType, imageTypes } from '../../../pipeline/core/image-type.ts'
import { isModerator } from '../../../pipeline/core/roles.ts'
import {
  type Logo,
  LogoForm,
  LogoList,
  LogoTaken,
  type StoredLogo,
} from '../../../pipeline/model/logo.ts'
import { findLogos, readPicture } from '../../../pipeline/read/lookups/logos.ts'
import { toEditor } from '../../auth/editor.ts'
import { isInOrganization } from '../../auth/organization-access.ts'
import type { Principal } from '../../auth/principal.ts'
import { createCsv, PastedDomain } from '../../inputs/fields.ts'
import { readLogoForm } from '../../inputs/logo-form.ts'
import { submitIdempotent } from '../../operation/idempotency.ts'
import { defineOperation } from '../../operation/operation.ts'
import { findMeantDomain } from '../../responses/meant-domain.ts'
import { replyOk, replyRefused } from '../../responses/reply.ts'

const params = z.object({ domain: PastedDomain })
/** Matches the name of a picture: its hash and its type. */
const PICTURE = /^[0-9a-f]{64}\.[a-z]{3,4}$/

/** Headers that make browsers treat a picture as a picture only, and never as a page. */
const CONFINED = {
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'cross-origin',
}
const FOR_EVER = { 'cache-control': 'public, max-age=31536000, immutable' }
const FOR_NOBODY_ELSE = { 'cache-control': 'private, no-store' }

export const listLogos = defineOperation({
  id: 'listLogos',
  method: 'GET',
  path: '/api/brands/:domain/logos',
  group: 'Brand Resolution',
  summary: 'List a brand’s logos',
  description:
    'Returns public logos. Logos that are waiting for review or were rejected are returned only to the organization that submitted them and to moderators. With `tags`, returns only logos that have all of these tags.',
  access: 'optional',
  cache: 'personal',
  params,
  query: z.object({ tags: createCsv('Tags that a logo must have') }),
  reply: { 200: LogoList },
  errors: ['invalid_request'],
  handle: ({ params: { domain }, query, principal, services: { reader, baseUrl } }) => {
    const tags = query.tags.map(tag => tag.toLowerCase())
    const visible = findLogos(reader, domain)
      .filter(logo => isVisible(logo, principal))
      .filter(logo => tags.every(tag => logo.tags.includes(tag)))
    const meant =
      visible.length > 0
        ? {}
        : findMeantDomain(domain, meant =>
            findLogos(reader, meant).some(logo => isVisible(logo, principal)),
          )
    const counted = (status: string) => visible.filter(logo => logo.status === status).length
    return replyOk({
      domain,
      logos: visible.map(logo => toLogo(logo, baseUrl())),
      stats: { total: visible.length, approved: counted('approved'), pending: counted('pending') },
      ...meant,
    })
  },
})

export const saveLogo = defineOperation({
  id: 'saveLogo',
  method: 'POST',
  path: '/api/brands/:domain/logos',
  group: 'Brand Resolution',
  summary: 'Upload a brand logo',
  description:
    'The image type is detected from its bytes. The logo is shown at once if your organization has verified the domain or a parent domain; otherwise it waits for a moderator.',
  access: 'bearer',
  writes: true,
  raw: true,
  quota: 'saves',
  cache: 'none',
  params,
  bodyTypes: ['multipart/form-data'],
  body: z.custom<Buffer>(Buffer.isBuffer, 'is required').meta(LogoForm as object as { id: string }),
  reply: { 201: LogoTaken },
  errors: [
    'invalid_request',
    'conflict',
    'too_large',
    'unsupported_media_type',
    'rate_limited',
    'unavailable',
  ] as const,
  handle: async ({ params: { domain }, body, header, principal, submissionId, services }) => {
    const type = String(header('content-type') ?? '')
    const upload = await readLogoForm(body, type, services.config.LIMITS.logoBytes)
    const { bytes, ...logo } = upload
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const done = await submitIdempotent(
      services,
      submissionId,
      {
        op: 'logo.save',
        logo_id: submissionId,
        domain,
        sha256,
        ...logo,
        editor: toEditor(principal),
        moderates: isModerator(principal.roles),
        bytes: bytes.toString('base64'),
      },
      { domain },
    )
    const { content_type } = logo
    const url = buildAddress({ domain, hash: sha256, content_type }, services.baseUrl())
    const { logo_id, status: review_status } = done
    return {
      status: 201,
      body: { success: true, domain, logo_id, review_status, content_type, url },
    }
  },
})

export const readLogo = defineOperation({
  id: 'getLogo',
  method: 'GET',
  path: '/assets/brands/:domain/:file',
  isFile: true,
  group: 'Brand Resolution',
  summary: 'Get a logo image',
  description:
    'The file name is the hash of the image, so the image never changes. An image is visible to the same callers as its entry in the list of logos.',
  access: 'optional',
  cache: 'private',
  params: params.extend({
    file: z
      .string()
      .regex(PICTURE, 'must be the name of an image')
      .describe('File name of the image, from the list of logos'),
  }),
  reply: { 200: { type: Object.keys(imageTypes) } },
  responseHeaders: ['ETag'],
  errors: ['invalid_request', 'not_found'],
  handle: async ({ params: { domain, file }, principal, services: { reader } }) => {
    const logo = findLogos(reader, domain).find(
      logo =>
        buildFileName(logo) === file && logo.status !== 'rejected' && isVisible(logo, principal),
    )
    const picture = logo && (await readPicture(reader, logo.hash))
    if (logo === undefined || picture === undefined)
      return replyRefused('not_found', `${domain} has no such logo`, { domain })
    const { content_type: type, hash: etag, status } = logo
    const caching = status === 'approved' ? FOR_EVER : FOR_NOBODY_ELSE
    return { status: 200, body: picture, type, etag, headers: { ...CONFINED, ...caching } }
  },
})

function isVisible({ status, org_id }: StoredLogo, principal: Principal | undefined): boolean {
  if (status === 'approved') return true
  if (principal === undefined) return false
  return isModerator(principal.roles) || (org_id !== null && isInOrganization(principal, org_id))
}

function toLogo(logo: StoredLogo, baseUrl: string): Logo {
  const { logo_id: id, content_type, bytes, hash: sha256, source, tags, note, status } = logo
  return {
    id,
    ...(status !== 'rejected' && { url: buildAddress(logo, baseUrl) }),
    content_type,
    bytes,
    sha256,
    source,
    tags,
    ...(note !== null && { note }),
    review_status: status,
    uploaded_at: logo.uploaded_at,
  }
}

type Named = Pick<StoredLogo, 'domain' | 'hash'> & { content_type: ImageType }

function buildFileName({ hash, content_type }: Omit<Named, 'domain'>): string {
  return `${hash}.${imageTypes[content_type]}`
}

function buildAddress(logo: Named, baseUrl: string): string {
  return baseUrl + buildLogoPath(logo)
}

/** Builds the path at which the picture of a logo is read. */
export function buildLogoPath(logo: Named): string {
  return `/assets/brands/${logo.domain}/${buildFileName(logo)}`
}
