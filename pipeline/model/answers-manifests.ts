import { z } from 'zod'

const text = z.string()

export const verificationStatuses = ['pending', 'valid', 'invalid', 'unreachable'] as const
export type VerificationStatus = (typeof verificationStatuses)[number]

export const ManifestReference = z
  .looseObject({
    reference_type: z.enum(['url', 'agent']),
    manifest_url: text.nullable(),
    agent_url: text.nullable(),
    agent_id: text.nullable(),
    /** What came of the last try to read what is referred to. */
    verification_status: z.enum(verificationStatuses),
  })
  .meta({ id: 'ManifestReference', description: 'Where the manifest of a domain is' })
export type ManifestReference = z.infer<typeof ManifestReference>

export const ManifestLookup = z
  .looseObject({
    success: z.boolean(),
    found: z.boolean(),
    reference: ManifestReference.optional(),
  })
  .meta({ id: 'ManifestLookup', description: '`success` and `found` are the same' })
export type ManifestLookup = z.infer<typeof ManifestLookup>
