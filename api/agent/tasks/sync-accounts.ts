import { z } from 'zod'
import {
  type Account,
  buildAccount,
  findAccountStatus,
  NaturalAccount,
  saveAccount,
} from '../accounts.ts'
import { defineTask } from '../task.ts'
import type { TaskContext } from '../task-context.ts'

const AccountInput = NaturalAccount.extend({
  billing: z.enum(['operator', 'agent', 'advertiser']).describe('Who is billed'),
  payment_terms: z.enum(['net_15', 'net_30', 'net_45', 'net_60', 'net_90', 'prepay']).optional(),
})

const Input = z.object({
  accounts: z.array(AccountInput).min(1).max(1000).describe('Accounts to set up or to change'),
  delete_missing: z
    .boolean()
    .optional()
    .describe('Close accounts of the same operators that are not in the list'),
  dry_run: z.boolean().optional().describe('Change nothing, and report what would change'),
})

export const syncAccounts = defineTask({
  name: 'sync_accounts',
  title: 'Set up accounts',
  description: 'Sets up accounts for brands and their operators. They are active at once',
  input: Input,
  mutates: true,
  run({ accounts, delete_missing = false, dry_run = false }, context) {
    const results = accounts.map(requested => syncAccount(requested, dry_run, context))
    const closed = delete_missing ? closeOthers(results, dry_run, context) : []
    return { accounts: [...results, ...closed], dry_run, sandbox: true }
  },
})

function syncAccount(
  requested: z.infer<typeof AccountInput>,
  isDryRun: boolean,
  context: TaskContext,
) {
  const { state, tenant } = context
  const { payment_terms } = requested
  const built = buildAccount(requested, requested.billing)
  const known = state.get('account', tenant, built.account_id)
  const account: Account = {
    ...built,
    ...(payment_terms && { payment_terms }),
    ...(known?.forced && { forced: known.forced }),
  }
  const isSame = JSON.stringify(known) === JSON.stringify(account)
  if (!isDryRun) saveAccount(account, context)
  const action = isSame ? 'unchanged' : known ? 'updated' : 'created'
  return describeResult(account, action)
}

/** Closes the other accounts of the same operators, since all callers share the credential. */
function closeOthers(
  named: ReadonlyArray<{ account_id: string; operator: string }>,
  isDryRun: boolean,
  context: TaskContext,
) {
  const { state, tenant } = context
  const ids = new Set(named.map(({ account_id }) => account_id))
  const operators = new Set(named.map(({ operator }) => operator))
  const others = state
    .list('account', tenant)
    .filter(
      account =>
        !account.isClosed && operators.has(account.operator) && !ids.has(account.account_id),
    )
    .map(account => ({ ...account, isClosed: true }))
  if (!isDryRun) {
    for (const account of others) saveAccount(account, context)
  }
  return others.map(account => describeResult(account, 'updated'))
}

function describeResult(account: Account, action: 'created' | 'updated' | 'unchanged') {
  const { account_id, brand, operator, billing, name } = account
  return {
    account_id,
    brand,
    operator,
    name,
    action,
    status: findAccountStatus(account),
    billing,
    account_scope: 'operator_brand',
    sandbox: true,
  }
}
