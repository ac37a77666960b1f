import { z } from 'zod'
import { Domain } from '../core/domain.ts'
import type { Enrichment } from './enrichment.ts'
import type { OriginCheck } from './hosted.ts'
import type { Issuer } from './identity.ts'
import { type AdagentsReport, type LiveBrand, SeenReference } from './live.ts'
import { type AgentFailed, type AgentTold, agentTopics } from './live-agent.ts'
import { NonceHash, type OwnershipMethod, ownershipMethods } from './ownership.ts'

/**
 * What the API may ask a crawler to look up on the web at once, since it has no way out itself. An
 * errand writes nothing; its answer goes to whoever waits.
 */
export const Errand = z.discriminatedUnion('errand', [
  z.object({ errand: z.literal('lookup_host'), host: Domain }),
  z.object({ errand: z.literal('enrich_brand'), domain: Domain }),
  z.object({
    errand: z.literal('check_adagents'),
    domain: Domain,
    /** Whether its agents are asked too. */
    agents: z.boolean(),
  }),
  z.object({
    errand: z.literal('read_brand'),
    domain: Domain,
    /** What the index remembers of references to it. */
    seen: z.array(SeenReference).max(10),
  }),
  z.object({
    errand: z.literal('ask_agent'),
    /** As its caller wrote it. */
    address: z.string().max(2_048),
    about: z.enum(agentTopics),
  }),
  /** Whether the domain's own file points to the one that `base` serves for it. */
  z.object({ errand: z.literal('check_origin'), domain: Domain, base: z.url() }),
  /** Which one is a matter of the crawler's own settings. */
  z.object({ errand: z.literal('read_issuer') }),
  z.object({
    errand: z.literal('check_ownership'),
    domain: Domain,
    nonce_hash: NonceHash,
    methods: z.array(z.enum(ownershipMethods)).min(1).max(2),
  }),
])
export type Errand = z.infer<typeof Errand>
export type ErrandName = Errand['errand']
export type ErrandOf<Name extends ErrandName> = Extract<Errand, { errand: Name }>

/** What each errand is answered with. What the world refuses is an answer too. */
export interface ErrandAnswers {
  /** Whether a name leads to the public Internet. `unknown`: no name server said anything. */
  lookup_host: { host: 'public' | 'private' | 'nowhere' | 'unknown' }
  /** What others say of a brand; null when nobody could be asked, or knew anything. */
  enrich_brand: { enrichment: Enrichment | null }
  check_adagents: AdagentsReport
  read_brand: LiveBrand
  ask_agent: AgentTold | AgentFailed
  check_origin: OriginCheck
  /** What the identity provider says of itself, or why it could not be read. */
  read_issuer: Issuer | { failed: string }
  /** By what the domain shows the nonce; null when it does not. */
  check_ownership: { found: OwnershipMethod | null }
}
