import { countThings } from '../../pipeline/core/counts.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { detectImageType, type ImageType } from '../../pipeline/core/image-type.ts'
import { getFirst } from '../../pipeline/core/present.ts'
import { describeIssue } from '../../pipeline/core/validation-messages.ts'
import { LogoNote, LogoTag } from '../../pipeline/model/logo.ts'
import { parseForm } from './form-data.ts'

/** An uploaded picture. */
export interface LogoUpload {
  bytes: Buffer
  content_type: ImageType
  tags: string[]
  note?: string
}

const TAGS_MAX = 20

/**
 * Reads a form with a picture; `maxBytes` bounds the picture, the whole body was capped while it arrived.
 * Refuses a bad form with 400, 413 or 415.
 */
export async function readLogoForm(
  body: Buffer,
  contentType: string,
  maxBytes: number,
): Promise<LogoUpload> {
  if (!/^multipart\/form-data\b/i.test(contentType)) {
    refuse('unsupported_media_type', 'the body must be multipart/form-data')
  }
  const form = await parseForm(body, contentType)
  const file = form.get('file')
  if (!(file instanceof Blob)) return refuse('invalid_request', 'file: is required')
  if (file.size > maxBytes)
    refuse('too_large', `file: must be at most ${countThings(maxBytes, 'byte')}`)
  const bytes = Buffer.from(await file.arrayBuffer())
  const content_type = detectImageType(bytes)
  if (content_type === undefined) {
    const text = 'file: must be a PNG, JPEG, GIF or WebP image by its bytes; SVG is not accepted'
    return refuse('unsupported_media_type', text)
  }
  const note = readNote(form)
  return { bytes, content_type, tags: readTags(form), ...(note !== '' && { note }) }
}

function readTags(form: FormData): string[] {
  const words = readText(form, 'tags')
    .split(',')
    .filter(word => word.trim() !== '')
  if (words.length > TAGS_MAX) refuse('invalid_request', `tags: must not be more than ${TAGS_MAX}`)
  const tags = words.map(word => {
    const read = LogoTag.safeParse(word, { error: describeIssue })
    if (read.success) return read.data
    return refuse('invalid_request', `tags: ${getFirst(read.error.issues).message}`)
  })
  return [...new Set(tags)]
}

function readNote(form: FormData): string {
  const read = LogoNote.safeParse(readText(form, 'note'), { error: describeIssue })
  if (read.success) return read.data
  return refuse('invalid_request', `note: ${getFirst(read.error.issues).message}`)
}

function readText(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}
