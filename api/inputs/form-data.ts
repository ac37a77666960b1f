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
