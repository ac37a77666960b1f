import { rmSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type RunFile, writeRunFile } from '../../../jobs/run-file.ts'
import { readConfig } from '../../../pipeline/core/config.ts'
import { Lease } from '../../../pipeline/store/lease.ts'
import { makeFolders, type Paths, resolvePaths } from '../../../pipeline/store/paths.ts'
import { findOrOpen } from '../../../scripts/commands/open-registry.ts'
import { makeTemporaryFolder } from '../../support/processes/command.ts'

/** Less than a command waits for a registry that starts. */
const MEANWHILE_MS = 500
const run: RunFile = {
  base_url: 'http://127.0.0.1:3000',
  redis_url: 'redis://127.0.0.1',
  indexer_pid: process.pid,
  started_at: '2026-11-25T08:00:00.000Z',
}

let folder: ReturnType<typeof makeTemporaryFolder>
let paths: Paths
let lease: Lease

beforeEach(async () => {
  folder = makeTemporaryFolder()
  paths = resolvePaths(folder.path)
  makeFolders(paths)
  lease = (await Lease.take(paths.lease))!
})

afterEach(() => {
  lease.release()
  folder.remove()
})

const open = () => findOrOpen(readConfig({ DATA_DIR: folder.path }), { begins: true })

test('a command waits for a registry that has the lease and does not say yet where it runs', async () => {
  const opening = open()
  await setTimeout(MEANWHILE_MS)
  writeRunFile(paths, run)
  expect(await opening).toEqual({ run })
})

test('a command waits for a start that has no lease yet, and begins a registry itself where that fails', async () => {
  lease.release()
  const lock = (await Lease.take(paths.startLock))!
  const opening = open()
  await setTimeout(MEANWHILE_MS)
  lease = (await Lease.take(paths.lease))!
  writeRunFile(paths, run)
  expect(await opening).toEqual({ run })
  rmSync(paths.run)
  lease.release()
  const again = open()
  await setTimeout(MEANWHILE_MS)
  lock.release()
  const { sequencer } = await again
  expect(sequencer?.seq).toBe(0)
  await sequencer?.close()
})

test('a command opens the stores itself once another process that wrote to them has ended', async () => {
  const opening = open()
  await setTimeout(MEANWHILE_MS)
  lease.release()
  const { sequencer } = await opening
  expect(sequencer?.seq).toBe(0)
  await sequencer?.close()
})

test('a command is refused while a process that is no registry goes on writing', async () => {
  await expect(open()).rejects.toThrow('another process is writing to')
})
