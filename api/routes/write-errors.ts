/** Errors of every write that has a body and needs a right. */
export const writeErrors = [
  'invalid_request',
  'forbidden',
  'too_large',
  'unsupported_media_type',
  'unavailable',
] as const
