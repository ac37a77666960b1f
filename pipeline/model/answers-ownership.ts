import { z } from 'zod'
import { domainProofs } from './member.ts'
import { ownershipMethods, StoredProof } from './ownership.ts'

const text = z.string()
const moment = z.iso.datetime()

export const OwnershipChallenge = z
  .object({
    challenge_id: z.uuid(),
    domain: text,
    nonce: text,
    expires_at: moment,
    methods: z.object({
      dns_txt: z.object({ name: text, value: text }),
      http: z.object({ url: text, body: text }),
    }),
  })
  .meta({
    id: 'OwnershipChallenge',
    description: 'A word to put on a domain, in one of two places; told this once only',
  })

export const OwnershipVerified = z
  .object({
    verified: z.literal(true),
    domain: text,
    method: z.enum(ownershipMethods),
    verified_at: moment,
    valid_until: moment,
  })
  .meta({ id: 'OwnershipVerified', description: 'The domain has shown that it is the caller’s' })

export const Ownership = z
  .object({
    domain: text,
    /** Whether the organization may enter the domain now. */
    proven: z.boolean(),
    method: StoredProof.shape.method.nullable(),
    verified_at: moment.nullable(),
    /** Null where it holds for good, and where there is none. */
    valid_until: moment.nullable(),
    /** Where it was shown: the domain itself, or one above it. */
    proven_by: text.nullable(),
  })
  .meta({ id: 'Ownership', description: 'What the caller’s organization has shown of a domain' })
export type Ownership = z.infer<typeof Ownership>

export const BrandOwnership = z
  .object({
    domain: text,
    /** `orphaned`: it points to its hosted file, and is no organization's. */
    status: z.enum(['verified', 'orphaned', 'community']),
    /** Null also where the organization is shown to nobody but itself. */
    owner: z.object({ name: text }).nullable(),
    can_manage: z.boolean(),
    can_claim: z.boolean(),
    /** Where the caller saves it, and where it begins to show that it is its own; else null. */
    manage_url: z.url().nullable(),
    claim_url: z.url().nullable(),
    authenticated: z.boolean(),
  })
  .meta({ id: 'BrandOwnership', description: 'Whose the domain of a brand is' })
export type BrandOwnership = z.infer<typeof BrandOwnership>

export const OrganizationDomains = z
  .object({
    organization: z.object({ id: text, name: text }),
    domains: z.array(
      z.object({
        domain: text,
        method: z.enum(domainProofs),
        verified_at: moment,
        /** Whether the organization may enter the domain now; a mailbox alone does not show that. */
        proven: z.boolean(),
        /** Null where it holds for good, and where nothing was shown. */
        valid_until: moment.nullable(),
      }),
    ),
  })
  .meta({ id: 'OrganizationDomains', description: 'The domains that an organization holds' })
