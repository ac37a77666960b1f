import type { z } from 'zod'
import type { PublicErrorName } from '../../pipeline/core/errors.ts'
import type { Principal } from '../auth/principal.ts'
import type { LimitName } from '../limits/per-address.ts'
import type { CachePolicy } from '../responses/freshness.ts'
import type { Sent, Streamed } from '../responses/reply.ts'
import type { Services } from './services.ts'

/** The surface groups of the specification, in its order, and what they are for. */
export const groupTexts = {
  Onboarding: 'How an organization comes to be known',
  'Member Agents': 'Agents that members register',
  'Brand Resolution': 'Which brand a domain is',
  'Property Resolution': 'What a publisher owns',
  'Agent Discovery': 'Agents, those who run them, and asking for a crawl',
  'Change Feed': 'What changed, in the order in which it happened',
  'Lookups & Authorization': 'Who may sell what, and how that is known',
  'Validation Tools': 'Checking and making files before they are published',
  'Community Mirrors': 'Files kept for platforms that publish none',
  Search: 'Finding brands, publishers, properties and agents',
  'Agent Probing': 'Asking a live agent',
  'Brand Discovery': 'Brands that members submit',
  'Agent Compliance': 'How agents fare in tests',
  'Policy Registry': 'Policies that agents refer to',
} as const
export type Group = keyof typeof groupTexts
export const groups = Object.keys(groupTexts) as Group[]

/**
 * Access to an operation: everybody, callers with a credential, or everybody while a credential may
 * show more. For `optional` a missing or wrong credential counts as none and never leads to a 401.
 */
export type Access = 'public' | 'bearer' | 'optional'

/** The caller as a handler sees it. */
type Asking<Who extends Access> = Who extends 'bearer'
  ? Principal
  : Who extends 'optional'
    ? Principal | undefined
    : undefined

/** Input of a handler: checked values, the caller and the services. */
export interface Call<Query, Params, Body, Who extends Access> {
  query: Query
  params: Params
  body: Body
  principal: Asking<Who>
  /** Returns a header of the request. */
  header(name: string): string | string[] | undefined
  /** Returns the address that counts as one caller. */
  caller(): string
  /** Returns a signal that is aborted when the caller leaves before there is an answer. */
  signal(): AbortSignal
  /** Returns the size of the body as the request declares it, in bytes; infinite where it does not. */
  bodyBytes(): number
  /** Under which a write of `once` is handed in: the same for the same `Idempotency-Key` (attempt.ts). */
  attempt: string
  services: Services
}

/** A body of an answer: a JSON schema, a media type, or several, for anything else, or null for no body. */
export type ReplyBody = z.ZodType | OtherBody | null

interface OtherBody {
  type: string | readonly string[]
  /** Schema of a line, or of an event and its data, where the body is sent item by item. */
  item?: z.ZodType
}

interface Declared<
  Who extends Access,
  Query extends z.ZodType,
  Params extends z.ZodType,
  Body extends z.ZodType,
> {
  id: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  group?: Group
  summary: string
  description?: string
  access: Who
  cache: CachePolicy
  limit?: LimitName
  /** It asks the snapshot or the search, which takes a while: callers take turns at it (fair-turns.ts). */
  asksSnapshot?: true
  /** A wrong path or query is told to everybody, before a credential is asked for. */
  checksInputFirst?: true
  /** It answers without the stores; any other refuses (503) while there are none. */
  storeless?: true
  /** It works long on a large body: of one caller few are taken at once, before the body is read. */
  isLaborious?: true
  /**
   * Says what an answer depends on besides the input, the snapshot, the search file and the members:
   * answers to the same are made once and kept (answer-cache.ts).
   */
  cacheKey?(call: Pick<Call<unknown, unknown, unknown, Who>, 'principal'>): string
  /** Counted by user and by organization, before the request is looked at; implies `once`. */
  quota?: 'saves'
  /** An `Idempotency-Key` names it: carried out once, however often it is asked for. */
  once?: true
  deprecated?: true
  /** The body is handed over as the bytes that were sent; its schema describes them. */
  raw?: true
  /** Media type of the body, where it is not JSON. */
  bodyType?: 'multipart/form-data'
  /** It changes something: not offered to those who only read. */
  writes?: true
  query?: Query
  params?: Params
  body?: Body
  reply: Readonly<Record<number, ReplyBody>>
  /** Errors of the operation besides `internal error`, which every operation may have. */
  errors: readonly PublicErrorName[]
  handle(
    call: Call<z.output<Query>, z.output<Params>, z.output<Body>, Who>,
  ): Sent | Streamed | Promise<Sent>
}

/** An operation as everything that is derived from it sees it. */
export type Operation = Declared<Access, z.ZodType, z.ZodType, z.ZodType> & {
  // biome-ignore lint/suspicious/noExplicitAny: only the declaration knows its own input
  handle(call: Call<any, any, any, any>): Sent | Streamed | Promise<Sent>
  // biome-ignore lint/suspicious/noExplicitAny: the same
  cacheKey?(call: { principal: any }): string
}

/**
 * Defines an endpoint; there is no other way. Route, validation, authentication, limits, cache headers,
 * metrics, the OpenAPI description and the list that the tests go through are derived from it.
 */
export function defineOperation<
  const Who extends Access,
  Query extends z.ZodType = z.ZodUndefined,
  Params extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
>(declared: Declared<Who, Query, Params, Body>): Operation {
  return declared as unknown as Operation
}

/** Names of the parameters in a path, `:domain` as `domain`. */
export function listPathParameters(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!)
}
