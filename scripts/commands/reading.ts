import { existsSync } from 'node:fs'
import { BEHIND_OTHERS } from '../../pipeline/read/health.ts'
import type { PrivateReader } from '../../pipeline/read/lookups/private-rows.ts'
import { resolvePaths } from '../../pipeline/store/paths.ts'
import { openRecordFile } from '../../pipeline/store/record-file.ts'
import { toCommandSentence } from '../command-line/command-sentence.ts'
import { readSettings } from './environment.ts'
import { assertRegistry } from './open-registry.ts'

/** Reads private rows, also while a registry runs; there are none where nothing was committed yet. */
export function readRecord<Result>(read: (reader: PrivateReader) => Result): Result {
  const config = readSettings()
  assertRegistry(config)
  const paths = resolvePaths(config.DATA_DIR)
  const record = openRecordFile(paths)
  if (record && existsSync(paths.behind))
    process.stderr.write(`${toCommandSentence(BEHIND_OTHERS)}\n`)
  try {
    return read({ record })
  } finally {
    record?.close()
  }
}
