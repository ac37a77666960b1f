import { createHash } from 'node:crypto'
import { z } from 'zod'
import { TaskError, type TaskErrorCode } from './errors.ts'
import type { TaskContext } from './task-context.ts'

declare module './state/store.ts' {
  interface Records {
    account: Account
  }
}

/** A domain as the protocol writes it. */
export const HostName = z
  .string()
  .max(253)
  .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/, 'must be a domain')

/** An id that a caller has chosen. */
export const CallersId = z.string().min(1).max(200)

export const BrandRef = z
  .object({
    domain: HostName,
    brand_id: z
      .string()
      .regex(/^[a-z0-9_]+$/)
      .max(100)
      .optional(),
    industries: z.array(z.string()).optional(),
    data_subject_contestation: z.looseObject({}).optional(),
  })
  .strict()
  .describe('A brand by its domain, and by its id where it shares one')
export type BrandRef = z.infer<typeof BrandRef>

export const NaturalAccount = z.looseObject({
  brand: BrandRef,
  operator: HostName.describe('Domain of the company that acts for the brand'),
  sandbox: z.boolean().optional(),
})
export type NaturalAccount = z.infer<typeof NaturalAccount>

/** Names an account by its id, or by its brand and operator. */
export const AccountRef = z
  .union([z.looseObject({ account_id: CallersId }), NaturalAccount])
  .describe('An account: {account_id}, or {brand: {domain}, operator}')
export type AccountRef = z.infer<typeof AccountRef>

/** An account as it was set up. */
export interface Account {
  brand: BrandRef
  /** Domain of the company that acts for the brand. */
  operator: string
  account_id: string
  name: string
  billing: 'operator' | 'agent' | 'advertiser'
  payment_terms?: string
  /** True once a caller has closed it. */
  isClosed: boolean
  /** Status that a test set, whatever it would be otherwise. */
  forced?: AccountStatus
}

export const accountStatuses = [
  'active',
  'pending_approval',
  'rejected',
  'payment_required',
  'suspended',
  'closed',
] as const
export type AccountStatus = (typeof accountStatuses)[number]

export function findAccountStatus({ isClosed, forced }: Account): AccountStatus {
  return isClosed ? 'closed' : (forced ?? 'active')
}

/** The default account, which is listed until a caller sets up another one. */
const firstAccount = buildAccount({
  brand: { domain: 'lantern-holdings.example' },
  operator: 'lantern-holdings.example',
})

/**
 * Converts brand and operator to the id of their account. All accounts are sandbox accounts, so the id is
 * the same whether a caller says so or not.
 */
export function toAccountId({ brand, operator }: NaturalAccount): string {
  const named = [brand.domain, brand.brand_id ?? '', operator].join('\u001f')
  return `acct_${createHash('sha256').update(named).digest('hex').slice(0, 16)}`
}

/** Derives the id of the account that a request names, whether or not it exists. */
export function nameAccount(ref: AccountRef): string {
  return 'account_id' in ref ? (ref.account_id as string) : toAccountId(ref as NaturalAccount)
}

/** Builds an account with default terms. */
export function buildAccount(
  { brand, operator }: NaturalAccount,
  billing: Account['billing'] = 'operator',
): Account {
  const account_id = toAccountId({ brand, operator })
  const name = `${brand.domain} by ${operator}`
  return { account_id, name, brand, operator, billing, isClosed: false }
}

/** Lists all accounts of a tenant, by their ids. */
export function listKnownAccounts({ state, tenant }: TaskContext): Account[] {
  const own = state.list('account', tenant)
  return own.length > 0 ? own : [firstAccount]
}

/**
 * Finds an account. One that is named by brand and operator need not exist yet; an id must be known. Throws
 * if it is unknown or closed.
 */
export function resolveAccount(ref: AccountRef, { state, tenant }: TaskContext): Account {
  const id = nameAccount(ref)
  const known =
    state.get('account', tenant, id) ??
    (id === firstAccount.account_id ? firstAccount : undefined) ??
    ('account_id' in ref ? undefined : buildAccount(ref as NaturalAccount))
  const status = known && findAccountStatus(known)
  if (status === 'suspended') throw refuseAccount('ACCOUNT_SUSPENDED', 'is suspended')
  if (status === 'payment_required')
    throw refuseAccount('ACCOUNT_PAYMENT_REQUIRED', 'has an open payment')
  if (known && status !== 'closed') return known
  throw new TaskError('ACCOUNT_NOT_FOUND', 'account: there is no such account here', {
    field: 'account',
  })
}

function refuseAccount(code: TaskErrorCode, reason: string): TaskError {
  return new TaskError(code, `account: it ${reason}`, { field: 'account' })
}

/** Stores an account that was used, so that it is listed. */
export function saveAccount(account: Account, { state, tenant, now }: TaskContext): void {
  state.put('account', tenant, account.account_id, account, { now })
}

/** Describes an account in the form in which answers show it. */
export function describeAccount(account: Account): Record<string, unknown> {
  const { account_id, name, brand, operator, billing, payment_terms } = account
  return {
    account_id,
    name,
    status: findAccountStatus(account),
    brand,
    operator,
    billing,
    ...(payment_terms && { payment_terms }),
    sandbox: true,
  }
}
