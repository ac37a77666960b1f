import { z } from 'zod'
import { Domain } from '../core/domain.ts'
import { getFirst } from '../core/present.ts'
import type { Source } from './observation.ts'

/** Addresses of the schemas that the files say they follow. */
export const ADAGENTS_SCHEMA = 'https://adcontextprotocol.org/schemas/v3/adagents.json'
export const BRAND_SCHEMA = 'https://adcontextprotocol.org/schemas/v3/brand.json'

/** The files that are built from entries, each at an address of the registry, and their subject. */
const places = {
  'adagents.json': { before: '/publisher/', after: '/.well-known/adagents.json' },
  'brand.json': { before: '/brands/', after: '/brand.json' },
} as const
export type HostedKind = keyof typeof places
export const hostedKinds = Object.keys(places) as HostedKind[]

/**
 * Builds the address at which the registry serves the file of a domain. `base` is its public address.
 */
export function buildHostedAddress(base: string, kind: HostedKind, domain: string): string {
  const { before, after } = places[kind]
  return `${base.replace(/\/+$/, '')}${before}${domain}${after}`
}

/** Parses the domain of a hosted file's address; undefined for any other source. A query is ignored. */
export function parseHostedDomain(base: string | undefined, source: Source): string | undefined {
  const { kind, location } = source
  if (base === undefined || !(kind in places) || !location.startsWith(base)) return undefined
  const [address] = location.split('?', 1) as [string]
  const { before, after } = places[kind as HostedKind]
  const start = base.replace(/\/+$/, '') + before
  if (!address.startsWith(start) || !address.endsWith(after)) return undefined
  return address.slice(start.length, -after.length)
}

/**
 * Tells whether an address has the shape of a domain's hosted file, at any registry. The hosted
 * files of this registry are never fetched.
 */
export function isHostedFor(domain: string, { kind, location }: Source): boolean {
  if (!(kind in places)) return false
  const { before, after } = places[kind as HostedKind]
  return getFirst(location.split('?', 1)).endsWith(before + domain + after)
}

/**
 * Returns the base of hosted addresses. Pointers must be https at its own port, so a registry without such an address hosts
 * none for the index.
 */
export function toHostingBase(baseUrl: string | undefined): string | undefined {
  if (!baseUrl?.startsWith('https://')) return undefined
  const { href, port } = new URL(baseUrl)
  return port === '' ? href.replace(/\/+$/, '') : undefined
}

/** Returns the query parameter of a hosted file's address that carries a claim. */
export function claimParameter(protocolName: string): string {
  return `${protocolName}_claim`
}

/** Findings at a domain that may point to its hosted file. */
export const originReasons = [
  'authoritative_location_pointer',
  'not_found',
  'invalid_json',
  'no_authoritative_location',
  'authoritative_location_mismatch',
  'unresolvable',
  'transient',
] as const
export type OriginReason = (typeof originReasons)[number]

/**
 * Findings that leave open whether the domain still points to its hosted file: no answer, or something else
 * in the place of the file. They end no verification.
 */
export const openOriginReasons: ReadonlySet<OriginReason> = new Set([
  'transient',
  'invalid_json',
  'unresolvable',
])

/** SHA-256 of a secret, in hex. */
const hash = z.string().regex(/^[0-9a-f]{64}$/)

/** A crawler's report on the file of a domain. */
export interface OriginCheck {
  reason: OriginReason
  detail?: string
  /** Hash of the claim that the pointer carries. */
  claim?: string
}

export const hostedOperations = [
  /** Announces that an organization is about to point a domain to its hosted file. */
  z.object({
    op: z.literal('origin.claim'),
    domain: Domain,
    org_id: z.uuid(),
    claim_hash: hash,
  }),
  z.object({
    op: z.literal('origin.verify'),
    domain: Domain,
    reason: z.enum(originReasons),
    claim_hash: hash.exactOptional(),
    checked_at: z.int(),
  }),
] as const

/** State of a domain and its hosted file, as the serving store holds it. */
export interface StoredOrigin {
  domain: string
  /** Time since which it has continuously pointed here. */
  verified_at: string | null
  checked_at: string | null
}
