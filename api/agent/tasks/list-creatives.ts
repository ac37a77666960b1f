import { z } from 'zod'
import { toIso } from '../../../pipeline/core/clock.ts'
import {
  type Account,
  AccountRef,
  CallersId,
  listKnownAccounts,
  resolveAccount,
} from '../accounts.ts'
import type { StoredCreative } from '../creatives/creative.ts'
import { listLibrary } from '../creatives/library.ts'
import { listAssignedPackages } from '../media-buys/assignments.ts'
import { cutPage, Pagination } from '../paging.ts'
import { defineTask } from '../task.ts'
import type { TaskContext } from '../task-context.ts'
import { FormatId, isCatalogueFormat } from './format-id.ts'

const Filters = z
  .looseObject({
    creative_ids: z.array(CallersId).min(1).max(100).optional(),
    format_ids: z.array(FormatId).min(1).optional(),
    statuses: z.array(z.string()).min(1).optional(),
    tags: z.array(z.string()).min(1).optional().describe('Creatives with all of these'),
    tags_any: z.array(z.string()).min(1).optional().describe('Creatives with one of these'),
    name_contains: z.string().optional(),
    assigned_to_packages: z.array(CallersId).min(1).optional().describe('Shown by one of these'),
    unassigned: z.boolean().optional().describe('Only creatives that no package shows'),
  })
  .describe('Filters of creatives')
type Filters = z.infer<typeof Filters>

const Input = z.object({
  account: AccountRef.optional(),
  filters: Filters.optional(),
  include_assignments: z.boolean().default(true),
  pagination: Pagination.optional(),
})

export const listCreatives = defineTask({
  name: 'list_creatives',
  title: 'List creatives',
  description: 'Lists the creatives of an account, with the packages that show them',
  input: Input,
  run({ account, filters = {}, include_assignments, pagination: paging }, context) {
    const owners = account ? [resolveAccount(account, context)] : listKnownAccounts(context)
    const found = owners
      .flatMap(owner =>
        listLibrary(context, owner.account_id).map(creative => describe(creative, owner, context)),
      )
      .filter(creative => matchesFilters(creative, filters, context))
    const { items, pagination } = cutPage(found, paging)
    return {
      query_summary: { total_matching: found.length, returned: items.length },
      pagination,
      creatives: items.map(({ assignments, ...creative }) => ({
        ...creative,
        ...(include_assignments && { assignments }),
      })),
      sandbox: true,
    }
  },
})

function describe(creative: StoredCreative, account: Account, context: TaskContext) {
  const { createdAt, updatedAt, ...rest } = creative
  const assigned = listAssignedPackages(creative.creative_id, account.account_id, context)
  return {
    ...rest,
    account: { account_id: account.account_id, name: account.name, status: 'active' },
    created_date: toIso(createdAt),
    updated_date: toIso(updatedAt),
    assignments: {
      assignment_count: assigned.length,
      package_ids: assigned,
    },
  }
}

function matchesFilters(
  creative: ReturnType<typeof describe>,
  filters: Filters,
  context: TaskContext,
): boolean {
  const { creative_ids, format_ids, statuses, tags, tags_any, name_contains, unassigned } = filters
  const { creative_id, name, format_id, status, assignments } = creative
  const has = (tag: string) => creative.tags.includes(tag)
  return (
    (!creative_ids || creative_ids.includes(creative_id)) &&
    (!format_ids ||
      format_ids.some(creative => isCatalogueFormat(creative, format_id.id, context))) &&
    (!statuses || statuses.includes(status)) &&
    (!tags || tags.every(has)) &&
    (!tags_any || tags_any.some(has)) &&
    (!name_contains || name.toLowerCase().includes(name_contains.toLowerCase())) &&
    (!filters.assigned_to_packages ||
      filters.assigned_to_packages.some(id => assignments.package_ids.includes(id))) &&
    (!unassigned || assignments.assignment_count === 0)
  )
}
