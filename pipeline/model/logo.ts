import { z } from 'zod'
import { Domain } from '../core/domain.ts'
import { type ImageType, imageTypes } from '../core/image-type.ts'
import { type ReviewStatus, reviewStatuses } from './review.ts'
import { Editor, isStorable } from './save.ts'

/** Larger ones get to no writer, whatever the limits say: a submission is a message. */
const BASE64_CHARS = 1_400_000

/** Who says that a picture is a brand's logo: whoever showed that the domain is theirs, or somebody. */
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
    /** Whether the editor decides what others hand in. */
    moderates: z.boolean(),
  }),
] as const

/** A logo as the serving store holds it; the picture is a file of its own. */
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

export const Logo = z
  .looseObject({
    id: z.uuid(),
    url: z.url().optional().meta({ description: 'absent for one that was rejected' }),
    content_type: z.enum(types),
    bytes: z.int().positive(),
    sha256: text,
    source: z.enum(logoSources),
    tags: z.array(text),
    note: text.optional(),
    review_status: z.enum(reviewStatuses),
    uploaded_at: z.iso.datetime(),
  })
  .meta({ id: 'Logo', description: 'A logo of a brand' })
export type Logo = z.infer<typeof Logo>

const count = z.int().nonnegative()

export const LogoList = z
  .looseObject({
    domain: text,
    logos: z.array(Logo),
    stats: z.object({ total: count, approved: count, pending: count }),
  })
  .meta({ id: 'LogoList', description: 'Logos of a brand that the caller may see' })

export const LogoTaken = z
  .looseObject({
    success: z.literal(true),
    domain: text,
    logo_id: z.uuid(),
    review_status: z.enum(reviewStatuses),
    content_type: z.enum(types),
    url: z.url(),
  })
  .meta({ id: 'LogoTaken', description: 'A logo that was handed in' })

/** What is sent with a picture, as a form. */
export const LogoForm = {
  id: 'LogoForm',
  type: 'object',
  description: 'A picture, as a form (multipart/form-data)',
  required: ['file'],
  properties: {
    file: { type: 'string', format: 'binary', description: 'PNG, JPEG, GIF or WebP' },
    note: { type: 'string', maxLength: 500 },
    tags: { type: 'string', description: 'comma-separated, such as primary,light-bg' },
  },
} as const
