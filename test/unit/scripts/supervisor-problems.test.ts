import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { Lease } from '../../../pipeline/store/lease.ts'
import { makeFolders, resolvePaths } from '../../../pipeline/store/paths.ts'
import {
  fetchSupervisorProblems,
  forgetOperatorUrl,
  leaveDetailsToStatus,
  noteOperatorUrl,
} from '../../../scripts/commands/supervisor-problems.ts'
import { createRecordingLog } from '../../support/registry/recording-log.ts'
import { cleanUp, createDataDir } from '../../support/registry/registry.ts'
import { serveOrigin } from '../../support/servers/origin.ts'

const said = [
  'Redis does not keep its data',
  'the backup in BACKUP_TO is overdue: `registry status` says why',
]

test('what the running start says is told, but for what status itself knows better', async () => {
  const paths = resolvePaths(createDataDir())
  makeFolders(paths)
  let more: { notes?: string[] } = {}
  const origin = await serveOrigin((_, response) =>
    response
      .writeHead(503)
      .end(JSON.stringify({ status: 'not_ready', problems: said, blocking: said, ...more })),
  )
  cleanUp(() => origin.close())
  writeFileSync(paths.operatorUrl, origin.url)
  expect(await fetchSupervisorProblems(paths)).toBeUndefined()
  const lock = (await Lease.take(paths.startLock))!
  cleanUp(() => lock.release())
  expect(await fetchSupervisorProblems(paths)).toEqual({ blocking: said, notes: [] })
  expect(leaveDetailsToStatus(said)).toEqual(said.slice(0, 1))
  more = { notes: ['a credential cannot be read'] }
  expect(await fetchSupervisorProblems(paths)).toEqual({
    blocking: said,
    notes: ['a credential cannot be read'],
  })
  writeFileSync(paths.operatorUrl, 'http://127.0.0.1:1')
  expect(await fetchSupervisorProblems(paths)).toEqual({
    blocking: ['the operator’s port (http://127.0.0.1:1) does not answer'],
    notes: [],
  })
})

test('a start that cannot write its address says so, and leaves none of an earlier one', async () => {
  const paths = resolvePaths(createDataDir())
  makeFolders(paths)
  const { log, said } = createRecordingLog()
  noteOperatorUrl(paths, 'http://127.0.0.1:1', log)
  expect(said).toEqual([])
  const lock = (await Lease.take(paths.startLock))!
  cleanUp(() => lock.release())
  forgetOperatorUrl(paths)
  // A folder in the place of the new file fails the write, as a full disk does.
  mkdirSync(`${paths.operatorUrl}.new/full`, { recursive: true })
  noteOperatorUrl(paths, 'http://127.0.0.1:2', log)
  expect(said.join()).toContain('status cannot ask this start')
  expect(existsSync(paths.operatorUrl)).toBe(false)
  expect(await fetchSupervisorProblems(paths)).toBeUndefined()
})
