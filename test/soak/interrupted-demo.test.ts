import { existsSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import {
  Command,
  findFreePort,
  makeTemporaryFolder,
  runForOutput,
  waitUntil,
} from '../support/processes/command.ts'

const folder = makeTemporaryFolder()
afterAll(() => folder.remove())

test('a demo whose first crawl was interrupted is complete after the next start', async () => {
  const env = { DATA_DIR: folder.path, PORT: String(await findFreePort()), LOG_LEVEL: 'warn' }
  const first = new Command(['start'], env)
  await waitUntil(async () => existsSync(`${folder.path}/checkpoint.json`))
  const { stdout, stderr } = await first.interrupt()
  expect([stdout.includes('Ready'), stderr.includes('batch failed')]).toEqual([false, false])
  const second = new Command(['start'], env)
  await second.waitForOutput(/^crawled \d{3} domains[\s\S]*^Ready\./m)
  expect(await runForOutput(['member', 'list'], env)).toContain('bright-gauge.example')
  await second.interrupt()
})
