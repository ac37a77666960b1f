import { z } from 'zod'
import type { Instant } from '../../../pipeline/core/clock.ts'
import {
  channels,
  identifierTypes,
  propertyTypes,
} from '../../../pipeline/model/documents/vocabulary.ts'
import { type AccountRef, BrandRef, HostName, nameAccount, resolveAccount } from '../accounts.ts'
import { TaskError } from '../errors.ts'
import type { TaskContext } from '../task-context.ts'

declare module '../state/store.ts' {
  interface Records {
    /** Lists of properties, by tenant and id. */
    property_list: PropertyList
  }
}

/** Longest name, text or identifier of a list, in characters. */
const TEXT_MAX = 2_000
/** Sources of a list, and identifiers in one of them. */
const SOURCES_MAX = 1_000
const IDENTIFIERS_MAX = 10_000

/** The tenant that keeps the lists. */
const KEEPER = 'governance'

const Text = z.string().min(1).max(TEXT_MAX)

/** An id or a tag of a property, as its publisher writes it. */
const Word = z
  .string()
  .max(200)
  .regex(/^[a-z0-9_]+$/, 'must be lowercase letters, digits and _')

/** A property as it is known outside: a domain, an app, a screen. */
export const Identifier = z.object({ type: z.enum(identifierTypes), value: Text })
export type Identifier = z.infer<typeof Identifier>

/** A source of properties of a list. */
const Source = z.discriminatedUnion('selection_type', [
  z.object({
    selection_type: z.literal('identifiers'),
    identifiers: z.array(Identifier).min(1).max(IDENTIFIERS_MAX),
  }),
  z.object({
    selection_type: z.literal('publisher_tags'),
    publisher_domain: HostName,
    tags: z.array(Word).min(1).max(SOURCES_MAX),
  }),
  z.object({
    selection_type: z.literal('publisher_ids'),
    publisher_domain: HostName,
    property_ids: z.array(Word).min(1).max(SOURCES_MAX),
  }),
])
export type Source = z.infer<typeof Source>

const Filters = z
  .object({
    countries_all: z
      .array(z.string().regex(/^[A-Z]{2}$/, 'must be two capital letters'))
      .min(1)
      .optional()
      .describe('Properties of all these countries'),
    channels_any: z
      .array(z.enum(channels))
      .min(1)
      .optional()
      .describe('Properties with one of these channels'),
    property_types: z.array(z.enum(propertyTypes)).min(1).optional(),
    feature_requirements: z
      .array(
        z.looseObject({
          feature_id: Text,
          if_not_covered: z.enum(['exclude', 'include']).default('exclude'),
        }),
      )
      .min(1)
      .optional(),
    exclude_identifiers: z.array(Identifier).min(1).max(IDENTIFIERS_MAX).optional(),
  })
  .describe('Which of the properties remain')
export type Filters = z.infer<typeof Filters>

/** The part of a list that a caller writes. */
export const ListContent = z.object({
  name: Text,
  description: Text.optional(),
  base_properties: z
    .array(Source)
    .max(SOURCES_MAX)
    .optional()
    .describe('Where its properties come from; all that are known here without it'),
  filters: Filters.optional(),
  brand: BrandRef.optional(),
})
type ListContent = z.infer<typeof ListContent>

export interface PropertyList {
  list_id: string
  content: ListContent
  account?: AccountRef
  /** The token with which sellers use the list. */
  token: string
  createdAt: Instant
  updatedAt: Instant
}

/** Finds a list of an account, or of whichever account where none is named. Throws if there is none. */
export function findPropertyList(
  list_id: string,
  account: AccountRef | undefined,
  context: TaskContext,
): PropertyList {
  if (account) resolveAccount(account, context)
  const list = context.state.get('property_list', context.tenant, list_id)
  if (list && isOfAccount(list, account)) return list
  throw new TaskError('REFERENCE_NOT_FOUND', 'list_id: there is no such list here', {
    field: 'list_id',
  })
}

/** Names a list as sellers do: by its agent, and with the token that its creator got. */
export const PropertyListRef = z.looseObject({
  agent_url: Text,
  list_id: Text,
  auth_token: Text.optional(),
})

/**
 * Reads the list that a buyer names to a seller. Undefined for one of another agent, which is out of reach
 * here; throws if this agent's own has no such list, or another token.
 */
export function readForSeller(
  { agent_url, list_id, auth_token }: z.infer<typeof PropertyListRef>,
  { state, toAddress }: TaskContext,
): PropertyList | undefined {
  if (agent_url.replace(/\/+$/, '') !== toAddress(KEEPER)) return undefined
  const list = state.get('property_list', KEEPER, list_id)
  if (list && list.token === auth_token) return list
  throw new TaskError(
    'REFERENCE_NOT_FOUND',
    'property_list: there is no such list with this token',
    {
      field: 'property_list',
    },
  )
}

/** Lists the lists of an account, or of all accounts, the oldest first. */
export function listPropertyLists(
  account: AccountRef | undefined,
  { state, tenant }: TaskContext,
): PropertyList[] {
  return state
    .list('property_list', tenant)
    .filter(list => isOfAccount(list, account))
    .sort((one, other) => one.createdAt - other.createdAt)
}

export function savePropertyList(list: PropertyList, { state, tenant, now }: TaskContext): void {
  state.put('property_list', tenant, list.list_id, list, { now })
}

function isOfAccount(list: PropertyList, account: AccountRef | undefined): boolean {
  if (!account) return true
  return list.account !== undefined && nameAccount(list.account) === nameAccount(account)
}
