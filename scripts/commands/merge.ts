import { readSettings } from './environment.ts'
import { performOrExit } from './running.ts'

export interface MergeOptions {
  evidence?: string
}

/** Merges two records: from now on the alias answers with the canonical one. */
export async function mergeRecords(
  kind: 'property' | 'collection',
  alias_rid: string,
  canonical_rid: string,
  { evidence }: MergeOptions,
): Promise<void> {
  const operation = {
    op: `${kind}.merge`,
    alias_rid,
    canonical_rid,
    ...(evidence === undefined ? {} : { evidence }),
  }
  const done = await performOrExit(readSettings(), operation)
  process.stdout.write(`${done.alias_rid} now answers with ${done.canonical_rid}\n`)
}
