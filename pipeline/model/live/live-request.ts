import { z } from 'zod'
import { Domain } from '../../core/domain.ts'
import type { Outcome } from '../../core/outcomes.ts'
import {
  OpenIdCode,
  type OpenIdFailure,
  type OpenIdPerson,
  type OpenIdProvider,
} from '../accounts/openid.ts'
import { EmailAddress } from '../accounts/person.ts'
import type { Enrichment } from '../enrichment.ts'
import type { OriginCheck } from '../hosted.ts'
import type { Issuer } from '../identity.ts'
import {
  NonceHash,
  type OwnershipMethod,
  ownershipMethods,
  type PlaceWithoutNonce,
} from '../ownership.ts'
import { type ReceiverAnswer, ReceiverUrl } from '../subscription.ts'
import { type AdagentsReport, KnownBrandFile, type LiveBrand } from './live.ts'
import { type AgentFailed, type AgentReport, agentTopics } from './live-agent.ts'

/** Longest text of a mail. */
export const MAIL_CHARS_MAX = 64 * 1_024

/**
 * Requests that the API may send to a crawler for an immediate fetch, since it has no network access
 * itself. They write nothing; the answer goes to the waiting caller.
 */
export const LiveRequest = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('lookup_host'), host: Domain }),
  z.object({ kind: z.literal('enrich_brand'), domain: Domain }),
  z.object({
    kind: z.literal('check_adagents'),
    domain: Domain,
    /** True if its agents are checked too. */
    agents: z.boolean(),
  }),
  /** Reads the text of a file, whatever it contains. */
  z.object({
    kind: z.literal('read_text'),
    domain: Domain,
    file: z.enum(['adagents.json', 'brand.json']),
  }),
  z.object({
    kind: z.literal('read_brand'),
    domain: Domain,
    /** Other files from which the stored answer was derived. */
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
  /** Reads the issuer in the crawler's own settings. */
  z.object({ kind: z.literal('read_issuer') }),
  /** Reads the metadata of the OpenID provider in the crawler's own settings. */
  z.object({ kind: z.literal('read_openid') }),
  /** Exchanges a code at that provider for the identity of its person. */
  z.object({ kind: z.literal('exchange_openid_code'), ...OpenIdCode.shape }),
  /** Sends a mail by the mail server in the crawler's own settings. */
  z.object({
    kind: z.literal('send_mail'),
    to: EmailAddress,
    subject: z.string().max(200),
    text: z.string().max(MAIL_CHARS_MAX),
    /** Address that ends such mails, for the button of mail programs (RFC 8058). */
    end_url: z.url().max(2_000).exactOptional(),
  }),
  /** Posts a challenge to a receiver of changes, or a test where there is none. */
  z.object({
    kind: z.literal('ask_receiver'),
    url: ReceiverUrl,
    subscription_id: z.uuid(),
    organization_id: z.string().max(300),
    challenge: z.string().max(100).nullable(),
  }),
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

/** Caller behind a request to the web, for whom crawlers count it. */
export const LiveRequestCaller = z.object({ caller: z.string().max(64).exactOptional() })
export type LiveRequestCaller = z.infer<typeof LiveRequestCaller>

/** True if some of it could not be read, because a request budget is used up. */
export interface MayBeThrottled {
  throttled?: true
}

/** Answers by live request. A failure on the web is an answer too. */
export interface LiveRequestAnswers {
  /** Answer to a lookup of a name: whether it is on the public internet. `unknown`: no name server answered. */
  lookup_host: { host: 'public' | 'private' | 'nowhere' | 'unknown' }
  /** Enrichment of a brand; null when no provider was available or knew it. */
  enrich_brand: { enrichment: Enrichment | null } & MayBeThrottled
  check_adagents: AdagentsReport & MayBeThrottled
  /** The outcome of the fetch, and the text unless there is none or it is too long. */
  read_text: { outcome: Outcome; text?: string } & MayBeThrottled
  read_brand: LiveBrand & MayBeThrottled
  ask_agent: (AgentReport | AgentFailed) & MayBeThrottled
  check_origin: OriginCheck
  /** The identity provider's metadata and keys, or why they could not be read. */
  read_issuer: Issuer | { failed: string }
  read_openid: OpenIdProvider | OpenIdFailure
  exchange_openid_code: OpenIdPerson | OpenIdFailure
  /**
   * Answer of the mail server: it took the mail, or why it did not. `isUnsent` where nobody can have got it, and it may be
   * taken later.
   */
  send_mail: { sent: true } | { failed: string; isUnsent?: true }
  /** Answer of the receiver; `isConfirmed` where it was the challenge. */
  ask_receiver: ReceiverAnswer & MayBeThrottled
  /** Method by which the domain shows the nonce; null if it does not: then what is in each place that was looked at. */
  check_ownership: {
    found: OwnershipMethod | null
    instead?: Partial<Record<OwnershipMethod, PlaceWithoutNonce>>
  } & MayBeThrottled
}
