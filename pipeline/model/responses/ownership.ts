import { z } from 'zod'
import { domainProofs } from '../accounts/member.ts'
import { ownershipMethods, StoredProof } from '../ownership.ts'

const text = z.string()
const moment = z.iso.datetime()

const Domain = text.describe('Requested domain, normalized')
const Proven = z
  .boolean()
  .describe(
    'Whether the organization can save the domain now; a verified mailbox alone is not enough',
  )
const ValidUntil = moment
  .nullable()
  .describe('Expiry of the verification; null if it never expires, or if there is none')

export const OwnershipChallenge = z
  .object({
    challenge_id: z.uuid().describe('ID of the challenge; pass it to verify exactly this one'),
    domain: Domain,
    nonce: text.describe('The token to publish on the domain; shown only once'),
    expires_at: moment.describe('Time at which the challenge expires'),
    methods: z
      .object({
        dns_txt: z
          .object({
            name: text.describe('Name of the TXT record to create'),
            value: text.describe('Text of the TXT record: the token'),
          })
          .describe('TXT record for publishing the token in DNS'),
        http: z
          .object({
            url: text.describe('URL at which to serve the file'),
            body: text.describe('Content of the file: the token'),
          })
          .describe('File for publishing the token on the site'),
      })
      .describe('Two places for the token: one of them is enough'),
  })
  .meta({
    id: 'OwnershipChallenge',
    description: 'A token to publish on a domain, in one of two places; shown only once',
  })

export const OwnershipVerified = z
  .object({
    verified: z.literal(true).describe('Always true: without the token the response is a 409'),
    domain: Domain,
    method: z.enum(ownershipMethods).describe('Where the token was found'),
    verified_at: moment.describe('Time at which the token was found'),
    valid_until: moment.describe('Expiry of the verification'),
  })
  .meta({ id: 'OwnershipVerified', description: 'A domain that the caller has verified' })

export const Ownership = z
  .object({
    domain: Domain,
    proven: Proven,
    method: StoredProof.shape.method
      .nullable()
      .describe('Method of the verification; null if there is none'),
    verified_at: moment.nullable().describe('Time of the verification; null if there is none'),
    valid_until: ValidUntil,
    proven_by: text
      .nullable()
      .describe('The verified domain: this one or a parent domain; null if there is none'),
  })
  .meta({
    id: 'Ownership',
    description: 'Whether the caller’s organization has verified a domain',
  })
export type Ownership = z.infer<typeof Ownership>

export const BrandOwnership = z
  .object({
    domain: Domain,
    status: z
      .enum(['verified', 'orphaned', 'community'])
      .describe(
        'Status of the domain; `orphaned` if it points to its hosted file but belongs to no organization',
      ),
    owner: z
      .object({ name: text.describe('Name of the organization that holds the domain') })
      .nullable()
      .describe('Owner; null if there is none, or if only the owner may see it'),
    can_manage: z.boolean().describe('Whether the caller can save the brand now'),
    can_claim: z.boolean().describe('Whether the caller can verify the domain'),
    manage_url: z.url().nullable().describe('URL for saving the brand; null if the caller cannot'),
    claim_url: z
      .url()
      .nullable()
      .describe('URL at which to verify the domain; null if the caller cannot'),
    authenticated: z.boolean().describe('Whether the request had a valid credential'),
  })
  .meta({
    id: 'BrandOwnership',
    description: 'Owner of a brand’s domain, and whether the caller can save or verify it',
  })
export type BrandOwnership = z.infer<typeof BrandOwnership>

export const OrganizationDomains = z
  .object({
    organization: z
      .object({
        id: text.describe('Permanent ID of the organization'),
        name: text.describe('Public name of the organization'),
      })
      .describe('Organization that holds the domains'),
    domains: z
      .array(
        z.object({
          domain: Domain,
          method: z.enum(domainProofs).describe('How the domain was verified'),
          verified_at: moment.describe('Time of the verification'),
          proven: Proven,
          valid_until: ValidUntil,
        }),
      )
      .describe(
        'Domains that the organization holds, or has verified while another one holds them, by name',
      ),
    pending: z
      .array(
        z.object({
          domain: Domain,
          expires_at: moment.describe('Time at which the challenge expires'),
          txt_name: text.describe('Name of the TXT record that may contain the token'),
          file_url: text.describe('URL of the file that may contain the token'),
        }),
      )
      .describe('Challenges that can still be verified, soonest expiry first'),
  })
  .meta({ id: 'OrganizationDomains', description: 'An organization’s domains' })
