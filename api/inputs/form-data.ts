import { isUtf8 } from 'node:buffer'
import { refuse } from '../../pipeline/core/errors.ts'

const FORM = /^(?:multipart\/form-data|application\/x-www-form-urlencoded)\b/i

/** Parses the body of a form. It was limited while it arrived. */
export async function parseForm(body: Buffer, contentType: string): Promise<FormData> {
  if (!FORM.test(contentType)) refuse('unsupported_media_type', 'the body must be a form')
  try {
    const headers = { 'content-type': contentType }
    return await new Response(Uint8Array.from(body), { headers }).formData()
  } catch {
    return refuse('invalid_request', 'body: is not valid form data')
  }
}

/** Reads a field of a form as text; empty if it has none. */
export function readField(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}

/** Tells whether somebody chose a file; without one, browsers send a nameless file. */
export function isUploaded(form: FormData): boolean {
  const file = form.get('file')
  return file instanceof File && file.name !== ''
}

/** Text that somebody sent. */
export interface SentText {
  text: string
  /** False for an upload in another encoding, of whose characters some were lost. */
  isUtf8: boolean
}

/** Reads the text that somebody uploaded as `file`, or else pasted as `text`. */
export async function readSentText(form: FormData): Promise<SentText> {
  const file = form.get('file')
  const hasContent = file instanceof Blob && file.size > 0
  const bytes = hasContent
    ? Buffer.from(await file.arrayBuffer())
    : Buffer.from(readField(form, 'text'))
  // Browsers send line breaks of fields as those of mail.
  const text = bytes
    .toString('utf8')
    .replaceAll('\r\n', '\n')
    .replace(/^\ufeff/, '')
  return { text, isUtf8: isUtf8(bytes) }
}
