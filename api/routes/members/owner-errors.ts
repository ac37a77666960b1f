/** Errors of every operation by which an organization changes what belongs to it. */
export const ownerErrors = [
  'invalid_request',
  'forbidden',
  'too_large',
  'unsupported_media_type',
  'unavailable',
] as const
