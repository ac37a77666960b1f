import { existsSync } from 'node:fs'
import type { PrivateReader } from '../../pipeline/read/lookups/private-rows.ts'
import { resolvePaths } from '../../pipeline/store/paths.ts'
import { Sqlite } from '../../pipeline/store/sqlite.ts'
import { readSettings } from './environment.ts'
import { assertRegistry } from './open-registry.ts'

/** Reads private rows, also while a registry runs; there are none where nothing was committed yet. */
export function readRecord<Result>(read: (reader: PrivateReader) => Result): Result {
  const config = readSettings()
  assertRegistry(config)
  const { record: file } = resolvePaths(config.DATA_DIR)
  if (!existsSync(file)) return read({ record: undefined })
  const record = Sqlite.open(file, { readOnly: true })
  try {
    return read({ record })
  } finally {
    record.close()
  }
}
