/** Errors of every operation with which an organization changes its own data. */
export const ownerErrors = [
  'invalid_request',
  'forbidden',
  'too_large',
  'unsupported_media_type',
  'unavailable',
] as const
