import { z } from 'zod'
import { MeantDomain } from '../shared-fields.ts'
import { FreshnessBlock } from './freshness.ts'

const text = z.string()

export const verificationStatuses = ['pending', 'valid', 'invalid', 'unreachable'] as const
export type VerificationStatus = (typeof verificationStatuses)[number]

export const ManifestReference = z
  .looseObject({
    reference_type: z
      .enum(['url', 'agent'])
      .describe('Whether a file or an agent has the manifest'),
    manifest_url: text.nullable().describe('URL of the file; null if an agent has it'),
    agent_url: text.nullable().describe('URL of the agent; null if a file has it'),
    agent_id: text.nullable().describe('ID of the brand at the agent; null if there is none'),
    verification_status: z
      .enum(verificationStatuses)
      .describe('Result of the last attempt to read the manifest; `pending` before the first'),
  })
  .meta({
    id: 'ManifestReference',
    description: 'The file or agent that has a domain’s manifest',
  })
export type ManifestReference = z.infer<typeof ManifestReference>

export const ManifestLookup = z
  .looseObject({
    success: z.boolean().describe('The same as `found`'),
    found: z.boolean().describe('Whether the location of the manifest is known'),
    reference: ManifestReference.optional(),
    did_you_mean: MeantDomain,
    freshness: FreshnessBlock.optional(),
  })
  .meta({ id: 'ManifestLookup', description: 'Whether, and where, a domain has a manifest' })
export type ManifestLookup = z.infer<typeof ManifestLookup>
