import { statSync } from 'node:fs'
import type { Instant } from '../../core/clock.ts'
import { startThread } from '../../core/thread.ts'
import { Database } from '../../store/database.ts'
import { type IndexStatus, reportIndex } from './index-status.ts'

/** Bytes of a record whose state is read without a thread: 15 ms of processor time, less than a thread needs to start. */
const IN_PROCESS_BYTES_MAX = 100_000_000

/** Reports the state of the index in a record, as of its last commit, also while commits go on. */
export async function readIndexStatus(file: string, now: Instant): Promise<IndexStatus> {
  const db = await Database.open(file, { readOnly: true })
  try {
    return await db.transaction(() => reportIndex(db, now))
  } finally {
    db.close()
  }
}

/** Reports it beside other work: 10^6 files take half a second, for which saves would wait. */
export async function readIndexStatusBeside(
  file: string,
  now: Instant,
  inProcessMax = IN_PROCESS_BYTES_MAX,
): Promise<IndexStatus> {
  if (statSync(file).size <= inProcessMax) return readIndexStatus(file, now)
  const thread = startThread(import.meta.url, 'index-status-thread', { file, now })
  return await new Promise((resolve, reject) => {
    thread.once('message', resolve)
    thread.once('error', reject)
    thread.once('exit', code => reject(new Error(`the state could not be read: status ${code}`)))
  })
}
