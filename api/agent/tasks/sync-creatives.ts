import { z } from 'zod'
import { AccountRef, CallersId, resolveAccount, saveAccount } from '../accounts.ts'
import { Creative } from '../creatives/creative.ts'
import { deleteMissing, saveCreative } from '../creatives/library.ts'
import { buildErrorBody, TaskError } from '../errors.ts'
import { attachCreative } from '../media-buys/assignments.ts'
import { attachAwaited } from '../media-buys/awaited-creatives.ts'
import { defineTask } from '../task.ts'
import type { TaskContext } from '../task-context.ts'

const Assignment = z.looseObject({
  creative_id: CallersId,
  package_id: CallersId,
  weight: z.number().min(0).max(100).optional(),
})

const Input = z.object({
  account: AccountRef,
  creatives: z.array(Creative).max(100).default([]).describe('Creatives to save'),
  creative_ids: z
    .array(CallersId)
    .max(100)
    .optional()
    .describe('Only these of the creatives in the request'),
  assignments: z.array(Assignment).max(500).optional().describe('Packages that show them'),
  delete_missing: z.boolean().optional().describe('Delete the creatives that are not named'),
  dry_run: z.boolean().optional().describe('Change nothing, and report what would change'),
  validation_mode: z
    .enum(['strict', 'lenient'])
    .default('strict')
    .describe('strict: one invalid creative rejects all; lenient: the others are saved'),
})

type Request = z.output<typeof Input>

interface Result {
  creative_id: string
  action: 'created' | 'updated' | 'unchanged' | 'failed' | 'deleted'
  status?: 'approved'
  errors?: Record<string, unknown>[]
  assigned_to?: string[]
}

export const syncCreatives = defineTask({
  name: 'sync_creatives',
  title: 'Sync creatives',
  description: 'Checks creatives by their formats, saves them, and assigns them to packages',
  input: Input,
  mutates: true,
  run(request, context) {
    const account = resolveAccount(request.account, context)
    const { dry_run = false, delete_missing = false, creative_ids } = request
    const creatives = request.creatives.filter(
      ({ creative_id }) => !creative_ids || creative_ids.includes(creative_id),
    )
    const trial = creatives.map(creative => trySave(creative, account.account_id, true, context))
    const isRefused =
      request.validation_mode === 'strict' && trial.some(({ action }) => action === 'failed')
    const isDry = dry_run || isRefused
    const results = isDry
      ? trial
      : creatives.map(creative => trySave(creative, account.account_id, false, context))
    if (!isDry) saveAccount(account, context)
    const wantedIds = new Set(creatives.map(({ creative_id }) => creative_id))
    const deleted =
      delete_missing && !isRefused
        ? deleteMissing(context, account.account_id, wantedIds, isDry)
        : []
    const assigned = isDry ? [] : assignAll(request, context)
    if (!isDry) for (const creativeId of wantedIds) attachAwaited(creativeId, context)
    return {
      creatives: [
        ...results.map(result => addAssignments(result, assigned)),
        ...deleted.map((creative_id): Result => ({ creative_id, action: 'deleted' })),
      ],
      dry_run,
      sandbox: true,
    }
  },
})

/** Saves a creative, or returns why not: a failure is a result like the others. */
function trySave(
  creative: z.infer<typeof Creative>,
  accountId: string,
  isDryRun: boolean,
  context: TaskContext,
): Result {
  const { creative_id } = creative
  try {
    const action = saveCreative(context, accountId, creative, { isDryRun, field: 'creatives' })
    return { creative_id, action, status: 'approved' }
  } catch (error) {
    if (!(error instanceof TaskError)) throw error
    return { creative_id, action: 'failed', errors: [buildErrorBody(error)] }
  }
}

function assignAll({ assignments = [] }: Request, context: TaskContext) {
  for (const [at, item] of assignments.entries()) {
    const { creative_id, weight } = item
    const assignment = { creative_id, ...(weight !== undefined && { weight }) }
    attachCreative(item.package_id, assignment, context, `assignments[${at}]`)
  }
  return assignments
}

function addAssignments(
  result: Result,
  assigned: readonly { creative_id: string; package_id: string }[],
): Result {
  const packages = assigned.filter(({ creative_id }) => creative_id === result.creative_id)
  if (packages.length === 0) return result
  return { ...result, assigned_to: packages.map(({ package_id }) => package_id) }
}
