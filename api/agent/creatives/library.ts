import { TaskError } from '../errors.ts'
import type { TaskContext } from '../task-context.ts'
import { toFormatId } from '../tasks/format-id.ts'
import { assertMatchesFormat, resolveFormat } from './check-manifest.ts'
import type { Creative, StoredCreative } from './creative.ts'

/** Builds the key of an account's library at one tenant. */
export function toLibraryScope({ tenant }: TaskContext, accountId: string): string {
  return `${tenant} ${accountId}`
}

export function listLibrary(context: TaskContext, accountId: string): StoredCreative[] {
  return context.state.list('creative', toLibraryScope(context, accountId))
}

export function findCreative(
  context: TaskContext,
  accountId: string,
  creativeId: string,
): StoredCreative | undefined {
  return context.state.get('creative', toLibraryScope(context, accountId), creativeId)
}

export type SyncAction = 'created' | 'updated' | 'unchanged'

/**
 * Saves a creative and approves it at once, since nothing here is shown to an audience. Returns what this
 * changes; a dry run changes nothing. Throws if the format is unknown or the assets do not fit it.
 */
export function saveCreative(
  context: TaskContext,
  accountId: string,
  creative: Creative,
  { isDryRun = false, field = 'creatives' } = {},
): SyncAction {
  const format = resolveFormat(creative.format_id, context, `${field}.format_id`)
  assertMatchesFormat(creative.assets, format, field)
  const { state, now } = context
  const scope = toLibraryScope(context, accountId)
  const known = state.get('creative', scope, creative.creative_id)
  const { creative_id, name, assets, tags = [] } = creative
  const format_id = toFormatId(format.id, context)
  const content = { creative_id, name, format_id, assets, tags, status: 'approved' as const }
  if (known && isSame(content, known)) return 'unchanged'
  if (!isDryRun) {
    const record = { ...content, createdAt: known?.createdAt ?? now, updatedAt: now }
    state.put('creative', scope, creative_id, record, { now })
    state.put('creative_owner', context.tenant, creative_id, accountId, { now })
  }
  return known ? 'updated' : 'created'
}

function isSame(content: object, known: StoredCreative): boolean {
  return Object.entries(content).every(
    ([name, value]) =>
      JSON.stringify(value) === JSON.stringify(known[name as keyof StoredCreative]),
  )
}

/**
 * Finds a creative to assign: the account's, or else the one last stored under this id, since all callers
 * share the credential. Throws if there is none.
 */
export function resolveCreative(
  context: TaskContext,
  accountId: string,
  creativeId: string,
  field: string,
): StoredCreative {
  const { state, tenant } = context
  const other = state.get('creative_owner', tenant, creativeId) ?? accountId
  const creative =
    findCreative(context, accountId, creativeId) ?? findCreative(context, other, creativeId)
  if (creative) return creative
  throw new TaskError('CREATIVE_NOT_FOUND', `${field}: there is no creative ${creativeId} here`, {
    field,
  })
}

/** Tells whether a creative can be assigned, by the rule of `resolveCreative`. */
export function hasCreative(context: TaskContext, accountId: string, creativeId: string): boolean {
  const { state, tenant } = context
  return (
    findCreative(context, accountId, creativeId) !== undefined ||
    state.get('creative_owner', tenant, creativeId) !== undefined
  )
}

/** Deletes the creatives of an account that are not on a list, and returns their ids. */
export function deleteMissing(
  context: TaskContext,
  accountId: string,
  wantedIds: ReadonlySet<string>,
  isDryRun: boolean,
): string[] {
  const ids = listLibrary(context, accountId)
    .map(({ creative_id }) => creative_id)
    .filter(id => !wantedIds.has(id))
  if (!isDryRun) {
    for (const id of ids) context.state.remove('creative', toLibraryScope(context, accountId), id)
  }
  return ids
}
