import { expect, test } from 'vitest'
import { repeatEvery } from '../../../jobs/indexer/loops.ts'
import { createLog } from '../../../pipeline/core/log.ts'

/** Runs a loop whose turns fail with these errors, and returns what it logs for people. */
async function runLoop(failures: readonly (Error | undefined)[]): Promise<string[]> {
  const lines: string[] = []
  const log = createLog('indexer', 'error', {
    dir: '/data',
    to: { write: line => void lines.push(line) },
  })
  const turns = failures.values()
  let end = () => {}
  const isOver = new Promise<void>(resolve => {
    end = resolve
  })
  const loop = repeatEvery(0, log, async () => {
    const { value, done } = turns.next()
    if (done) end()
    if (value) throw value
  })
  await isOver
  loop.stop()
  await loop.ended
  return lines.map(line => {
    const { msg, error } = JSON.parse(line)
    return error === undefined ? msg : `${msg}: ${error}`
  })
}

test('a failure that repeats is logged once, until it is another one or over', async () => {
  const [away, refused] = [new Error('away'), new Error('refused')]
  expect(await runLoop([away, away, refused, away, undefined, away])).toEqual([
    'loop failed: away',
    'loop failed: refused',
    'loop failed: away',
    'loop failed: away',
  ])
})

test.each([
  Object.assign(new Error('write'), { code: 'ENOSPC' }),
  new Error('Could not write file "columnar.duckdb.wal": No space left on device'),
  new Error('database or disk is full'),
])('a full disk is named as what it is: %s', async full => {
  expect(await runLoop([full, full])).toEqual([
    'The disk of /data is full: reads go on, and writes resume once there is room.',
  ])
})
