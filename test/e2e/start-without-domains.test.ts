import { existsSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import {
  Command,
  findFreePort,
  makeTemporaryFolder,
  runForOutput,
} from '../support/processes/command.ts'

const folder = makeTemporaryFolder()
afterAll(() => folder.remove())

test('a start without domains goes on with the registry of its folder, and adds no demo', async () => {
  const env = { DATA_DIR: folder.path, PORT: String(await findFreePort()), LOG_LEVEL: 'warn' }
  await runForOutput(['org', 'create', '--name', 'Acme'], env)
  expect(await runForOutput(['log', 'verify'], env)).toBe('No event is logged yet.')
  const start = new Command(['start'], env)
  await start.waitForOutput(/^Ready\./m)
  expect(await runForOutput(['member', 'list'], env)).not.toContain('.example')
  const { stdout, stderr } = await start.interrupt()
  expect(stdout).not.toMatch(/Reference agent|crawled|demo/)
  expect(stderr).toMatch(/^PROTOCOL_NAME is not set/)
  expect(existsSync(`${folder.path}/demo-domains.txt`)).toBe(false)
})
