import { z } from 'zod'
import { describeAccount, listKnownAccounts } from '../accounts.ts'
import { cutPage, Pagination } from '../paging.ts'
import { defineTask } from '../task.ts'

const Input = z.object({
  status: z.string().optional().describe('Only accounts of this status'),
  sandbox: z
    .boolean()
    .optional()
    .describe('true: only sandbox accounts (all accounts here are); false: only others'),
  pagination: Pagination.optional(),
})

export const listAccounts = defineTask({
  name: 'list_accounts',
  title: 'List accounts',
  description: 'Lists the accounts that were set up here, or a default account if none were',
  input: Input,
  run({ status, sandbox, pagination: paging }, context) {
    const known = sandbox === false ? [] : listKnownAccounts(context)
    const found = known
      .map(describeAccount)
      .filter(account => status === undefined || account.status === status)
    const { items, pagination } = cutPage(found, paging)
    return { accounts: items, pagination, sandbox: true }
  },
})
