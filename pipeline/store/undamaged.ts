import { statSync } from 'node:fs'
import { startThread } from '../core/thread.ts'
import { assertUndamaged } from './record.ts'

/**
 * Bytes of a record that is checked without a thread: it takes 15 ms of processor time, less than a thread needs to
 * start. The 310 MB of 10^5 domains take 0.8 s, in which commits go on.
 */
const IN_PROCESS_BYTES_MAX = 5_000_000

/** Throws where a record that is not in use cannot be read as a whole; reads all of it, a large one beside other work. */
export async function assertUndamagedBeside(
  file: string,
  inProcessMax = IN_PROCESS_BYTES_MAX,
): Promise<void> {
  if (statSync(file).size <= inProcessMax) return assertUndamaged(file)
  const thread = startThread(import.meta.url, 'undamaged-thread', file)
  await new Promise<void>((resolve, reject) => {
    thread.once('error', reject)
    thread.once('exit', code =>
      code === 0 ? resolve() : reject(new Error(`${file} could not be checked: status ${code}`)),
    )
  })
}
