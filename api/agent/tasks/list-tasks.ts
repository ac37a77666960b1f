import { z } from 'zod'
import { CallersId } from '../accounts.ts'
import { describeSubmittedTask } from '../media-buys/submission.ts'
import { cutPage, Pagination } from '../paging.ts'
import { defineTask } from '../task.ts'

const Moment = z.iso.datetime({ offset: true })
const sortFields = ['created_at', 'updated_at', 'status', 'task_type', 'protocol'] as const

const Filters = z
  .looseObject({
    task_ids: z.array(CallersId).min(1).max(100).optional(),
    status: z.string().optional(),
    statuses: z.array(z.string()).min(1).optional(),
    task_type: z.string().optional(),
    task_types: z.array(z.string()).min(1).optional(),
    created_after: Moment.optional(),
    created_before: Moment.optional(),
    updated_after: Moment.optional(),
    updated_before: Moment.optional(),
    has_webhook: z.boolean().optional(),
  })
  .describe('Which tasks')
type Filters = z.infer<typeof Filters>

const Input = z.object({
  filters: Filters.optional(),
  sort: z
    .looseObject({
      field: z.enum(sortFields).default('created_at'),
      direction: z.enum(['asc', 'desc']).default('desc'),
    })
    .optional(),
  pagination: Pagination.optional(),
})

export const listTasks = defineTask({
  name: 'list_tasks',
  title: 'List submitted tasks',
  description: 'Lists submitted tasks with their status, newest first',
  input: Input,
  run({ filters = {}, sort, pagination: paging }, { state, tenant, now }) {
    const { field, direction } = { field: 'created_at', direction: 'desc', ...sort } as const
    const found = state
      .list('submitted_task', tenant)
      .map(task => describeSubmittedTask(task, now))
      .filter(task => matchesFilters(task, filters))
      .sort((one, other) => (String(one[field]) < String(other[field]) ? -1 : 1))
    if (direction === 'desc') found.reverse()
    const { items, pagination } = cutPage(found, paging)
    return {
      query_summary: {
        total_matching: found.length,
        returned: items.length,
        status_breakdown: countStatuses(found),
        sort_applied: { field, direction },
      },
      tasks: items.map(({ result: _result, protocol, ...task }) => ({ ...task, domain: protocol })),
      pagination,
    }
  },
})

type Described = ReturnType<typeof describeSubmittedTask>

function matchesFilters(task: Described, filters: Filters): boolean {
  const is = (field: string, one?: string, several?: readonly string[]) =>
    (one === undefined || task[field] === one) &&
    (several === undefined || several.includes(String(task[field])))
  const isWithin = (field: string, after?: string, before?: string) => {
    const at = Date.parse(String(task[field]))
    return (
      (after === undefined || at > Date.parse(after)) &&
      (before === undefined || at < Date.parse(before))
    )
  }
  const { has_webhook } = filters
  return (
    is('task_id', undefined, filters.task_ids) &&
    is('status', filters.status, filters.statuses) &&
    is('task_type', filters.task_type, filters.task_types) &&
    isWithin('created_at', filters.created_after, filters.created_before) &&
    isWithin('updated_at', filters.updated_after, filters.updated_before) &&
    (has_webhook === undefined || task.has_webhook === has_webhook)
  )
}

function countStatuses(tasks: readonly Described[]): Record<string, number> {
  const groups = Map.groupBy(tasks, ({ status }) => String(status))
  return Object.fromEntries([...groups].map(([status, group]) => [status, group.length]))
}
