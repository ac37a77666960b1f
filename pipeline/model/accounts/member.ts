import { z } from 'zod'
import { toAgentUrlKey } from '../../core/agent-url.ts'
import { Domain } from '../../core/domain.ts'
import { tierNames, visibilities } from '../../core/tiers.ts'
import { agentTypes } from '../documents/index.ts'
import { Founding } from './organization.ts'

/**
 * Methods by which an organization proves a domain; `operator`: entered by the operator of the
 * registry.
 */
export const domainProofs = ['operator', 'dns_txt', 'http', 'pointer', 'email'] as const
export type DomainProof = (typeof domainProofs)[number]

const name = z.string().trim().min(1).max(200)
/** Name or id of an organization. */
const org = name
const AGENT_URL_CHARS_MAX = 1_000

export const Slug = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lowercase letters and digits, separated by hyphens')
  .max(80)

/** Address of an enrolled agent, as its key. */
export const EnrolledUrl = z
  .string()
  .max(AGENT_URL_CHARS_MAX)
  .refine(text => toAgentUrlKey(text) !== undefined, {
    error: 'must be an agent URL such as https://agent.example/mcp',
    abort: true,
  })
  .refine(text => !/[?#]/.test(text), { error: 'must not contain ? or #' })
  .overwrite(text => toAgentUrlKey(text) ?? text)
  // The key may be longer than the address: an é is six characters there.
  .pipe(z.string().max(AGENT_URL_CHARS_MAX))

const profile = {
  slug: Slug.exactOptional(),
  display_name: name.exactOptional(),
  is_founding: z.boolean().exactOptional(),
  is_public: z.boolean().exactOptional(),
}

/** Fields of an agent. */
const agent = {
  url: EnrolledUrl,
  type: z.enum(agentTypes).exactOptional(),
  name: name.exactOptional(),
  visibility: z.enum(visibilities).exactOptional(),
  health_check_url: z
    .url({ protocol: /^https?$/ })
    .max(2_000)
    .exactOptional(),
}

/**
 * Operations on members. In a change, an absent field stays as it is; in a new profile or agent it gets the
 * most private value.
 */
export const memberOperations = [
  z.object({
    op: z.literal('organization.domain.add'),
    org,
    domain: Domain,
    proof: z.enum(domainProofs),
    /** True if the operator knows that the name looks like another one. */
    is_confirmed: z.boolean().exactOptional(),
  }),
  z.object({ op: z.literal('organization.domain.remove'), org, domain: Domain }),
  /** Follows from the proof of another organization: nobody submits it. */
  z.object({ op: z.literal('organization.domain.lose'), org, domain: Domain }),
  /** Tells an organization that the one of this name has proven its domain, too: nobody submits it. */
  z.object({ op: z.literal('organization.domain.share'), org, domain: Domain, name: z.string() }),
  /** Ends the proofs that other organizations have of a domain, by one that has just proven it. */
  z.object({ op: z.literal('organization.domain.exclude'), org, domain: Domain }),
  /** Tells an organization that the one of this name has ended its proof: nobody submits it. */
  z.object({ op: z.literal('organization.domain.end'), org, domain: Domain, name: z.string() }),
  /** Records that a person was mailed about what another organization did with a domain. */
  z.object({
    op: z.literal('organization.domain.mail'),
    share_id: z.uuid(),
    user_id: z.string().min(1).max(300),
  }),
  z.object({ op: z.literal('member.create'), org, ...profile }),
  z.object({ op: z.literal('member.update'), org, ...profile }),
  z.object({ op: z.literal('member.tier'), org, tier: z.enum(tierNames).nullable() }),
  /** An event of the billing provider about a membership; without a tier the current one stays. */
  z.object({
    op: z.literal('member.billing'),
    event_id: z.string().min(1).max(255),
    org_id: z.uuid(),
    occurred_at: z.number().int().positive(),
    is_entitled: z.boolean(),
    tier: z.enum(tierNames).exactOptional(),
  }),
  z.object({
    op: z.literal('member.agent.save'),
    org,
    ...agent,
    /** Changes an existing enrolment, and enrols no agent. */
    is_change: z.literal(true).exactOptional(),
  }),
  /** A member's own request: for its organization, or for the one that it founds if it has none. */
  z.object({
    op: z.literal('member.agent.enrol'),
    org: org.exactOptional(),
    founding: Founding.exactOptional(),
    ...agent,
  }),
  z.object({ op: z.literal('member.agent.remove'), org, url: EnrolledUrl }),
] as const

export const MemberAgent = z.object({
  url: z.string(),
  type: z.enum(agentTypes),
  name: z.string().nullable(),
  visibility: z.enum(visibilities),
  health_check_url: z.string().nullable(),
  enrolled_at: z.string(),
})
export type MemberAgent = z.infer<typeof MemberAgent>

/** A member with its private fields; replicas have it without them. */
export const StoredMember = z.object({
  org_id: z.string(),
  org_name: z.string(),
  slug: z.string(),
  display_name: z.string(),
  is_founding: z.boolean(),
  is_public: z.boolean(),
  membership_tier: z.enum(tierNames).nullable(),
  /** In the order of their enrolment. */
  agents: z.array(MemberAgent),
  domains: z.array(z.string()),
})
export type StoredMember = z.infer<typeof StoredMember>
