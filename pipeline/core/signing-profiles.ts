/** Versions of the profiles by which webhooks and requests are signed (RFC 9421). */
export const signingProfiles = ['3.1', '3.2'] as const

export type ProfileVersion = (typeof signingProfiles)[number]
