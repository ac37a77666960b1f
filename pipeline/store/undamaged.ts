import { statSync } from 'node:fs'
import { startThread } from '../core/thread.ts'
import { type RecordCheck, recordChecks } from './record.ts'

/**
 * Bytes of a record that is checked without a thread: it takes 15 ms of processor time, less than a thread needs to
 * start. The 310 MB of 10^5 domains take 0.8 s, in which commits go on.
 */
const IN_PROCESS_BYTES_MAX = 5_000_000

/**
 * Throws where a record that nobody writes cannot be read as a whole; reads all of it, a large one beside other work:
 * from a cold disk 1 GB takes up to half a minute, in which a lease has to be renewed.
 */
export async function assertUndamagedBeside(
  file: string,
  check: RecordCheck = 'undamaged',
  inProcessMax = IN_PROCESS_BYTES_MAX,
): Promise<void> {
  if (statSync(file).size <= inProcessMax) return recordChecks[check](file)
  const thread = startThread(import.meta.url, 'undamaged-thread', { file, check })
  await new Promise<void>((resolve, reject) => {
    thread.once('error', reject)
    thread.once('exit', code =>
      code === 0 ? resolve() : reject(new Error(`${file} could not be checked: status ${code}`)),
    )
  })
}
