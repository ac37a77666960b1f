import { z } from 'zod'
import { Domain } from '../core/domain.ts'
import type { Enrichment } from './enrichment.ts'
import type { OriginCheck } from './hosted.ts'
import type { Issuer } from './identity.ts'
import { type AdagentsReport, KnownBrandFile, type LiveBrand } from './live.ts'
import { type AgentFailed, type AgentReport, agentTopics } from './live-agent.ts'
import { NonceHash, type OwnershipMethod, ownershipMethods } from './ownership.ts'

/**
 * Requests that the API may send to a crawler for an immediate look at the web, since it has no way out
 * itself. They write nothing; the answer goes to the caller who waits.
 */
export const LiveRequest = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('lookup_host'), host: Domain }),
  z.object({ kind: z.literal('enrich_brand'), domain: Domain }),
  z.object({
    kind: z.literal('check_adagents'),
    domain: Domain,
    /** True when its agents are asked too. */
    agents: z.boolean(),
  }),
  z.object({
    kind: z.literal('read_brand'),
    domain: Domain,
    /** Other files that the stored answer was read from. */
    known: z.array(KnownBrandFile).max(10),
  }),
  z.object({
    kind: z.literal('ask_agent'),
    /** Address as its caller wrote it. */
    address: z.string().max(2_048),
    about: z.enum(agentTopics),
  }),
  /** Checks whether the domain's own file points to the one that `base` serves for it. */
  z.object({ kind: z.literal('check_origin'), domain: Domain, base: z.url() }),
  /** Reads the issuer that the crawler's own settings name. */
  z.object({ kind: z.literal('read_issuer') }),
  z.object({
    kind: z.literal('check_ownership'),
    domain: Domain,
    nonce_hash: NonceHash,
    methods: z.array(z.enum(ownershipMethods)).min(1).max(2),
  }),
])
export type LiveRequest = z.infer<typeof LiveRequest>
export type LiveRequestName = LiveRequest['kind']
export type LiveRequestOf<Name extends LiveRequestName> = Extract<LiveRequest, { kind: Name }>

/** Caller behind a request to the web: crawlers count by it. */
export const LiveRequestCaller = z.object({ caller: z.string().max(64).exactOptional() })
export type LiveRequestCaller = z.infer<typeof LiveRequestCaller>

/** Says that the web was not asked for all of it, because it is asked as often as it may be. */
export interface MayBeThrottled {
  throttled?: true
}

/** Answers by live request. What the world refuses is an answer too. */
export interface LiveRequestAnswers {
  /**
   * Answer to a lookup of a name: is it on the public Internet? `unknown`: no name server answered.
   */
  lookup_host: { host: 'public' | 'private' | 'nowhere' | 'unknown' }
  /** Enrichment of a brand; null when no provider was available or knew it. */
  enrich_brand: { enrichment: Enrichment | null } & MayBeThrottled
  check_adagents: AdagentsReport & MayBeThrottled
  read_brand: LiveBrand & MayBeThrottled
  ask_agent: (AgentReport | AgentFailed) & MayBeThrottled
  check_origin: OriginCheck
  /** The identity provider's metadata and keys, or why they could not be read. */
  read_issuer: Issuer | { failed: string }
  /** By what the domain shows the nonce; null when it does not. */
  check_ownership: { found: OwnershipMethod | null } & MayBeThrottled
}
