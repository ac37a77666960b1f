import { z } from 'zod'
import { Domain } from '../core/domain.ts'
import { type ImageType, imageTypes } from '../core/image-type.ts'
import { type ReviewStatus, reviewStatuses } from './review.ts'
import { Editor, isStorable } from './save.ts'
import { MeantDomain, Success } from './shared-fields.ts'

/** Maximum size of a picture in a submission: a larger one never gets to the writer, whatever the limits say. */
const BASE64_CHARS = 1_400_000

/** Sources of a logo: a proven owner of the brand's domain, or another member. */
export const logoSources = ['brand_owner', 'community'] as const

export const LogoTag = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'must be letters, digits, _ and -')
export const LogoNote = z
  .string()
  .trim()
  .max(500)
  .refine(text => isStorable(text), 'must be well-formed text')

const types = Object.keys(imageTypes) as [ImageType, ...ImageType[]]

export const logoOperations = [
  z.object({
    op: z.literal('logo.save'),
    logo_id: z.uuid(),
    domain: Domain,
    editor: Editor,
    content_type: z.enum(types),
    /** SHA-256 of the picture, in hex: its name. */
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    /** The picture, in Base64. */
    bytes: z.string().max(BASE64_CHARS),
    tags: z.array(LogoTag).max(20),
    note: LogoNote.exactOptional(),
    /** True when the editor is a moderator. */
    moderates: z.boolean(),
  }),
] as const

/** A logo; the picture is a file of its own. */
export interface StoredLogo {
  logo_id: string
  domain: string
  hash: string
  content_type: ImageType
  bytes: number
  tags: string[]
  note: string | null
  source: (typeof logoSources)[number]
  status: ReviewStatus
  org_id: string | null
  uploaded_at: string
}

const text = z.string()

const LogoId = z.uuid().describe('Permanent ID of the image in this registry')
const ContentType = z.enum(types).describe('Media type of the image, detected from its bytes')
const ReviewStatusShown = z
  .enum(reviewStatuses)
  .describe(
    'Status of the review; a pending logo is visible only to the organization that submitted it and to moderators',
  )
const BrandDomain = text.describe('Domain of the brand, normalized')

export const Logo = z
  .looseObject({
    id: LogoId,
    url: z.url().optional().describe('URL of the image; absent for a rejected image'),
    content_type: ContentType,
    bytes: z.int().positive().describe('Size of the image in bytes'),
    sha256: text.describe('SHA-256 of the image, in hex'),
    source: z
      .enum(logoSources)
      .describe('Who submitted the image: the owner of the brand’s domain, or someone else'),
    tags: z.array(text).describe('What the image is for, such as `primary`'),
    note: text.optional().describe('The submitter’s note; absent if there is none'),
    review_status: ReviewStatusShown,
    uploaded_at: z.iso.datetime().describe('Time of the submission'),
  })
  .meta({ id: 'Logo', description: 'A logo of a brand' })
export type Logo = z.infer<typeof Logo>

const count = z.int().nonnegative()

export const LogoList = z
  .looseObject({
    domain: BrandDomain,
    logos: z.array(Logo).describe('Logos that the caller may see, newest first'),
    stats: z
      .object({
        total: count.describe('Number of logos that the caller may see'),
        approved: count.describe('Number of public logos'),
        pending: count.describe('Number of logos that are waiting for review'),
      })
      .describe('Counts of the logos by status'),
    did_you_mean: MeantDomain,
  })
  .meta({ id: 'LogoList', description: 'A brand’s logos that the caller may see' })
export type LogoList = z.infer<typeof LogoList>

export const LogoTaken = z
  .looseObject({
    success: Success,
    domain: BrandDomain,
    logo_id: LogoId,
    review_status: ReviewStatusShown,
    content_type: ContentType,
    url: z.url().describe('URL at which the image is served'),
  })
  .meta({ id: 'LogoTaken', description: 'A submitted logo' })

/** Form fields sent with a picture. */
export const LogoForm = {
  id: 'LogoForm',
  type: 'object',
  description: 'An image, as a form (multipart/form-data)',
  required: ['file'],
  properties: {
    file: { type: 'string', format: 'binary', description: 'The image: PNG, JPEG, GIF or WebP' },
    note: { type: 'string', maxLength: 500, description: 'Note for the moderator, if any' },
    tags: {
      type: 'string',
      description: 'What the image is for, as comma-separated tags, such as primary,light-bg',
    },
  },
} as const
