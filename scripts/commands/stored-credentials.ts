import { describeUnreadableCredentials } from '../../pipeline/read/health.ts'
import { countUnreadableCredentials } from '../../pipeline/read/lookups/agent-tests.ts'
import type { Paths } from '../../pipeline/store/paths.ts'
import { openRecordFile } from '../../pipeline/store/record-file.ts'

/** Finds that stored credentials of agents cannot be decrypted with this key; undefined where all can. */
export function findUnreadableCredentials(
  key: string | undefined,
  paths: Paths,
): string | undefined {
  const record = openRecordFile(paths)
  try {
    return describeUnreadableCredentials(countUnreadableCredentials({ record }, key))
  } finally {
    record?.close()
  }
}
