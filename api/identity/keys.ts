/** Beginning of all keys of this room in Redis. */
export const IDENTITY_KEYS = 'registry:identity:'
