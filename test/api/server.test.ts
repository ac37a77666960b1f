import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runApi } from '../../api/server.ts'
import { systemClock } from '../../pipeline/core/clock.ts'
import { readConfig } from '../../pipeline/core/config.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { silentLog } from '../../pipeline/core/log.ts'

test('the API listens over an empty folder and closes once', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'registry-server-'))
  const config = readConfig({ DATA_DIR: dataDir, PORT: '0' })
  const writer = {
    submit: async () => ({ done: {} }),
    requestLive: () => refuse('unavailable', 'no crawler'),
    runStoryboard: () => refuse('unavailable', 'no crawler'),
    findStoryboardJob: () => refuse('unavailable', 'no crawler'),
    cancelStoryboardJob: () => refuse('unavailable', 'no crawler'),
  }
  const { url, close } = await runApi({ config, clock: systemClock, log: silentLog, writer })
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  expect((await fetch(`${url}/readyz`)).status).toBe(503)
  expect(((await (await fetch(`${url}/api`)).json()) as { openapi: string }).openapi).toBe(
    `${url}/openapi/registry.yaml`,
  )
  await Promise.all([close(), close()])
  await expect(fetch(`${url}/healthz`)).rejects.toThrow()
  expect(process.listeners('SIGTERM')).not.toContain(close)
  rmSync(dataDir, { recursive: true, force: true })
})
