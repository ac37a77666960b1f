/**
 * Image types that are accepted and served, recognized by their first bytes, never by their declared type.
 * SVG is not among them: it is a document that can run scripts.
 */
export const imageTypes = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
} as const
export type ImageType = keyof typeof imageTypes

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const JPEG = Buffer.from('ffd8ff', 'hex')

/** Detects the image type by the first bytes; undefined for anything else. */
export function detectImageType(bytes: Uint8Array): ImageType | undefined {
  const head = Buffer.from(bytes.subarray(0, 16))
  const text = head.toString('latin1')
  if (head.equals(PNG)) return 'image/png'
  if (head.subarray(0, 3).equals(JPEG) && head.length === 16) return 'image/jpeg'
  if (/^GIF8[79]a/.test(text)) return 'image/gif'
  if (/^RIFF.{4}WEBPVP8[ LX]$/s.test(text)) return 'image/webp'
  return undefined
}
