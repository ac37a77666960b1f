import { z } from 'zod'
import { domainProofs } from '../member.ts'
import { ownershipMethods, StoredProof } from '../ownership.ts'

const text = z.string()
const moment = z.iso.datetime()

const Domain = text.describe('Domain in question, in its normal form')
const Proven = z
  .boolean()
  .describe('Whether the organization may enter the domain now; a mailbox alone proves nothing')
const ValidUntil = moment
  .nullable()
  .describe('Until when the proof counts; null where it counts for good, and where there is none')

export const OwnershipChallenge = z
  .object({
    challenge_id: z.uuid().describe('Id to pass when the challenge is verified'),
    domain: Domain,
    nonce: text.describe('Word to put on the domain; it is told this once only'),
    expires_at: moment.describe('Moment until which it has to be verified'),
    methods: z
      .object({
        dns_txt: z
          .object({
            name: text.describe('Name of the TXT record to create'),
            value: text.describe('Text of that record'),
          })
          .describe('Shows the word in the DNS'),
        http: z
          .object({
            url: text.describe('Address at which to serve a file'),
            body: text.describe('All that the file holds'),
          })
          .describe('Shows the word on the site'),
      })
      .describe('Two places for the word: one of them is enough'),
  })
  .meta({
    id: 'OwnershipChallenge',
    description: 'A word to put on a domain, in one of two places; told this once only',
  })

export const OwnershipVerified = z
  .object({
    verified: z.literal(true).describe('Always true: a domain that shows nothing is a 409'),
    domain: Domain,
    method: z.enum(ownershipMethods).describe('Where the word was found'),
    verified_at: moment.describe('Moment at which it was found'),
    valid_until: moment.describe('Until when the proof counts'),
  })
  .meta({ id: 'OwnershipVerified', description: 'The domain has shown that it is the caller’s' })

export const Ownership = z
  .object({
    domain: Domain,
    proven: Proven,
    method: StoredProof.shape.method
      .nullable()
      .describe('By what the domain was shown; null where it was not'),
    verified_at: moment.nullable().describe('Moment of the proof; null where there is none'),
    valid_until: ValidUntil,
    proven_by: text
      .nullable()
      .describe('Domain whose proof counts: this one or one above it; null without a proof'),
  })
  .meta({ id: 'Ownership', description: 'What the caller’s organization has shown of a domain' })
export type Ownership = z.infer<typeof Ownership>

export const BrandOwnership = z
  .object({
    domain: Domain,
    status: z
      .enum(['verified', 'orphaned', 'community'])
      .describe('`orphaned`: it points to its hosted file, and is no organization’s'),
    owner: z
      .object({ name: text.describe('Organization that holds it, by its name') })
      .nullable()
      .describe('Whose it is; null where it is nobody’s, or whose is shown to themselves alone'),
    can_manage: z.boolean().describe('Whether the caller may save the brand now'),
    can_claim: z.boolean().describe('Whether the caller may prove that the domain is its own'),
    manage_url: z
      .url()
      .nullable()
      .describe('Address at which the caller saves the brand; null where it may not'),
    claim_url: z
      .url()
      .nullable()
      .describe('Address at which the caller proves ownership; null where it may not'),
    authenticated: z.boolean().describe('Whether the request had a credential that counts'),
  })
  .meta({ id: 'BrandOwnership', description: 'Get the owner of a brand domain' })
export type BrandOwnership = z.infer<typeof BrandOwnership>

export const OrganizationDomains = z
  .object({
    organization: z
      .object({
        id: text.describe('Permanent id by which it is told apart'),
        name: text.describe('What it calls itself'),
      })
      .describe('Organization that holds the domains'),
    domains: z
      .array(
        z.object({
          domain: Domain,
          method: z.enum(domainProofs).describe('By what the domain was shown'),
          verified_at: moment.describe('Moment of the proof'),
          proven: Proven,
          valid_until: ValidUntil,
        }),
      )
      .describe('Domains that the organization holds, by name'),
  })
  .meta({ id: 'OrganizationDomains', description: 'The domains that an organization holds' })
