import type { z } from 'zod'
import type { PublicErrorName } from '../../pipeline/core/errors.ts'
import type { Limits } from '../../pipeline/core/limits.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import type { Principal } from '../auth/principal.ts'
import type { LimitName } from '../limits/per-address.ts'
import type { CachePolicy } from '../responses/freshness.ts'
import type { Sent, Streamed } from '../responses/reply.ts'
import type { RequestHeader, ResponseHeader } from './header-texts.ts'
import type { Services } from './services.ts'

/** Groups of operations with their descriptions, those first that most clients begin with. */
export const groupTexts = {
  'Brand Resolution': 'Brands, their logos and revisions',
  'Property Resolution': 'Properties and their catalog',
  'Lookups & Authorization': 'Who can sell which ads, and why',
  'Agent Discovery': 'Agents, publishers and crawl requests',
  Search: 'Brands, publishers, properties and agents',
  'Change Feed': 'Changes, by feed, webhook or email',
  'Validation Tools': 'Checking and creating files',
  'Agent Probing': 'Requests to live agents',
  'Agent Compliance': 'Test results and badges of agents',
  'Brand Discovery': 'Submitting and restoring brands',
  'Policy Registry': 'Policies that agents refer to',
  'Community Mirrors': 'Files published for platforms, and their review',
  Onboarding: 'Organizations, people, keys, domains and audit log',
  'Member Agents': 'Your organization’s agents',
} as const
export type Group = keyof typeof groupTexts
export const groups = Object.keys(groupTexts) as Group[]

/**
 * Access to an operation: everybody, callers with a credential, or everybody while a credential may show
 * more. With `optional` a missing or invalid credential counts as none and never leads to a 401.
 */
export type Access = 'public' | 'bearer' | 'optional'

/** The caller in the form that a handler gets. */
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
  /** Returns a signal that is aborted when the caller disconnects before there is an answer. */
  signal(): AbortSignal
  /** Returns the size of the body as the request declares it, in bytes; infinite where it does not. */
  bodyBytes(): number
  /** Id of the submission that an idempotent write makes: the same for the same `Idempotency-Key` (idempotency.ts). */
  submissionId: string
  services: Services
}

/** A body of an answer: a JSON schema; one or several media types for anything else; or null for no body. */
export type ReplyBody = z.ZodType | OtherBody | null

interface OtherBody {
  type: string | readonly string[]
  /** Schema of a line, or of an event and its data, if the body is streamed item by item. */
  item?: z.ZodType
}

type DependsOn<Query, Params> =
  | readonly string[]
  | ((call: { query: Query; params: Params; reader: Reader }) => readonly string[])

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
  /** Limits that its handler counts requests towards; `limit`, `quota` and `isExpensive` imply theirs. */
  limits?: readonly (keyof Limits)[]
  /**
   * It queries the snapshot or the search file, which takes longer than a lookup, so callers take turns
   * (pipeline/core/fair-queue.ts).
   */
  queriesSnapshot?: true
  /** A wrong path is reported to everybody, before a credential is required. */
  pathComesFirst?: true
  /**
   * It acts for the organization of the caller that enrolled the agent in the path, and with its credential:
   * `named` by the caller where several did, or `any` of them where it does not matter which. Viewers of that
   * organization may not, whether it changes something or only calls the agent.
   */
  agentOwner?: 'named' | 'any'
  /** It concerns a person alone and not their organization, so viewers may do it too. */
  isPersonal?: true
  /** It needs a user token: whatever its permissions, a key can only be refused. */
  isForPeople?: true
  /** It works without the stores; any other operation is refused (503) while they are not open. */
  worksWithoutStores?: true
  /**
   * Keys by which a cache in front of the API forgets its answers (pipeline/core/surrogate-keys.ts): the same for all,
   * or listed for one. Public operations that are revalidated name some; lists depend on what they are read from.
   */
  dependsOn?: DependsOn<z.output<Query>, z.output<Params>>
  /** It answers with a page for people, also when it refuses. */
  isPage?: true
  /** It answers with a file whose address others embed or publish, so its query is not checked. */
  isFile?: true
  /**
   * It takes long for a large body, so each caller may have only a few running. This is checked before the
   * body is read.
   */
  isExpensive?: true
  /**
   * Returns the key of what an answer depends on besides the input, the snapshot, the search file and the
   * members: answers with the same key are built once and cached (answer-cache.ts).
   */
  cacheKey?(
    call: Pick<Call<unknown, unknown, unknown, Who>, 'principal' | 'services' | 'header'>,
  ): string
  /** Counted by user and by organization, before the request is checked; implies `isIdempotent`. */
  quota?: 'saves'
  /** With an `Idempotency-Key` it is carried out once, however often it is sent. */
  isIdempotent?: true
  deprecated?: true
  /** The body is passed as the bytes that were sent; its schema describes them. */
  raw?: true
  /** Names a fault of the body by a code of its own instead of `invalid_request`, and its field. */
  nameFault?(issue: z.core.$ZodIssue): { error: PublicErrorName; field: string }
  /** Limit of the size of its body, if that may be larger than others. */
  bodyLimit?: 'authorizationBodyBytes'
  /** Limit of the items in its body; more are refused with a 400. */
  itemsLimit?: keyof Limits
  /** Media types of the body, if it is not only JSON. */
  bodyTypes?: readonly ('application/json' | 'multipart/form-data' | 'text/csv')[]
  /** It changes something: refused for keys and viewers that only read. */
  writes?: true
  query?: Query
  params?: Params
  body?: Body
  reply: Readonly<Record<number, ReplyBody>>
  /** Headers of its successes besides those that `cacheKey` and limits imply (openapi-headers.ts). */
  responseHeaders?: readonly ResponseHeader[]
  /** Headers that it reads besides those that its other declarations imply (openapi-headers.ts). */
  requestHeaders?: readonly RequestHeader[]
  /** Errors of the operation besides `internal error`, which every operation may have. */
  errors: readonly PublicErrorName[]
  handle(
    call: Call<z.output<Query>, z.output<Params>, z.output<Body>, Who>,
  ): Sent | Streamed | Promise<Sent>
}

/** Parts of a call that an answer may depend on besides its input. */
interface AskedBy extends Pick<Call<unknown, unknown, unknown, 'public'>, 'services' | 'header'> {
  // biome-ignore lint/suspicious/noExplicitAny: only the declaration knows its own callers
  principal: any
}

/** An operation in the form from which everything is derived. */
export type Operation = Omit<Declared<Access, z.ZodType, z.ZodType, z.ZodType>, 'dependsOn'> & {
  // biome-ignore lint/suspicious/noExplicitAny: only the declaration knows its own input
  handle(call: Call<any, any, any, any>): Sent | Streamed | Promise<Sent>
  cacheKey?(call: AskedBy): string
  // biome-ignore lint/suspicious/noExplicitAny: only the declaration knows its own input
  dependsOn?: DependsOn<any, any>
}

/**
 * Declares an endpoint. Its route, validation, authentication, limits, cache headers, metrics, OpenAPI
 * description and tests are all derived from the declaration.
 */
export function defineOperation<
  const Who extends Access,
  Query extends z.ZodType = z.ZodUndefined,
  Params extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
>(declared: Declared<Who, Query, Params, Body>): Operation {
  return declared as unknown as Operation
}

/** Lists the names of the parameters in a path, `:domain` as `domain`. */
export function listPathParameters(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
}
