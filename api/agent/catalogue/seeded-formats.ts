import type { TaskContext } from '../task-context.ts'
import { type Format, formats } from './formats.ts'

declare module '../state/store.ts' {
  interface Records {
    /** Formats that a test put into the sandbox, by tenant and account. */
    format: Format
  }
}

/** Puts a format into the sandbox of an account. */
export function saveFormat(
  format: Format,
  accountId: string,
  { state, tenant, now }: TaskContext,
): void {
  state.put('format', toScope(tenant, accountId), format.id, format, { now })
}

/**
 * Lists the formats that an account is shown: those that a test put there, so that it knows how many there
 * are, or else those of the catalogue.
 */
export function listFormats(
  accountId: string | undefined,
  { state, tenant }: TaskContext,
): readonly Format[] {
  if (accountId === undefined) return formats
  const seeded = state.list('format', toScope(tenant, accountId))
  return seeded.length === 0 ? formats : seeded
}

function toScope(tenant: string, accountId: string): string {
  return `${tenant} ${accountId}`
}
