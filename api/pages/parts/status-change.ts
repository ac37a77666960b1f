import type { StateChange } from '../../../pipeline/read/queries/state-changes.ts'
import type { Change } from './compare-documents.ts'
import { toPlainWords } from './plain-words.ts'

/** A property that its status removed, with why, or restored. */
export type StatusChange = { what: 'removed'; why: string } | { what: 'restored' }

/** Finds whether a change removed a property that was listed, or restored one that was not; its row stays either way. */
export function findStatusChange({ kind, before, after }: StateChange): StatusChange | undefined {
  if (kind !== 'property' || before === null || before.status === after.status) return undefined
  if (after.status === 'active') return { what: 'restored' }
  return { what: 'removed', why: toPlainWords(String(after.stale_reason ?? after.status)) }
}

/** Omits the fields of which the status change tells. */
export function omitStatusFields(changes: readonly Change[]): Change[] {
  return changes.filter(({ path }) => path !== 'status' && path !== 'stale_reason')
}
