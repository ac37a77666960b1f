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

/** Reads the text that somebody uploaded as `file`, or else pasted as `text`. */
export async function readSentText(form: FormData): Promise<string> {
  const file = form.get('file')
  const hasContent = file instanceof Blob && file.size > 0
  const text = hasContent
    ? Buffer.from(await file.arrayBuffer()).toString('utf8')
    : readField(form, 'text')
  // Browsers send line breaks of fields as those of mail.
  return text.replaceAll('\r\n', '\n').replace(/^\ufeff/, '')
}
