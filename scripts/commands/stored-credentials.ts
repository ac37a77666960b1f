import { describeUnreadableCredentials } from '../../pipeline/read/health.ts'
import { countUnreadableCredentials } from '../../pipeline/read/lookups/agent-tests.ts'
import type { Paths } from '../../pipeline/store/paths.ts'
import { openRecordReadOnly } from '../../pipeline/store/record.ts'
import { hasContent, readRecordFile } from '../../pipeline/store/record-file.ts'

/** Finds that stored credentials of agents cannot be decrypted with this key; undefined where all can. */
export function findUnreadableCredentials(
  key: string | undefined,
  paths: Paths,
): string | undefined {
  if (!hasContent(paths.record)) return undefined
  const record = readRecordFile(paths, openRecordReadOnly)
  try {
    return describeUnreadableCredentials(countUnreadableCredentials({ record }, key))
  } finally {
    record.close()
  }
}
