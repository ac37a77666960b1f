import { z } from 'zod'
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
