import { expect, test } from 'vitest'
import {
  findCopyProblems,
  findReportedNotes,
  findReportedProblems,
} from '../../api/operator/health.ts'
import { RoleMetrics } from '../../jobs/metrics/role-metrics.ts'
import { MINUTE, SECOND } from '../../pipeline/core/clock.ts'
import { resolvePaths } from '../../pipeline/store/paths.ts'
import { createDataDir } from '../support/registry/registry.ts'

const now = Date.parse('2026-11-20T03:00Z')

/** Finds the problems that an indexer reports by one metric. */
async function findProblems(
  name: 'registry_upload_behind_seconds' | 'registry_backup_overdue',
  value: number,
): Promise<string[]> {
  const metrics = new RoleMetrics('indexer')
  metrics.watch(name, () => value)
  const reports = [{ role: 'indexer', values: await metrics.read(), restarts: 0 }]
  return findCopyProblems(reports, now)
}

const behindMs = 5 * MINUTE + SECOND

test.each([
  [
    'registry_upload_behind_seconds',
    (5 * MINUTE) / SECOND,
    behindMs / SECOND,
    `the bucket of PUBLISH_TO lacks what was published since 2026-11-20 02:54 UTC`,
  ],
  ['registry_backup_overdue', 0, 1, 'the backup in BACKUP_TO is overdue'],
] as const)('an operator is told when %s is above %d', async (name, most, above, problem) => {
  expect(await findProblems(name, most)).toEqual([])
  expect(await findProblems(name, above)).toEqual([`${problem}: \`registry status\` says why`])
})

test('each process that does not answer is named by its id, unless it has ended', () => {
  const [frozen, other, ended] = [{ pid: 7 }, { pid: 8 }, {}]
  const reports = [frozen, other, ended].map(each => ({
    role: 'api',
    values: undefined,
    restarts: 0,
    ...each,
  }))
  expect(findReportedProblems(reports, resolvePaths(createDataDir()), now)).toEqual([
    'the API does not answer: if this lasts, end it with `kill -9 7`, and `start` starts it again',
    'the API does not answer: if this lasts, end it with `kill -9 8`, and `start` starts it again',
    'the API does not answer',
  ])
})

test('credentials that cannot be decrypted are noted, and stop nothing', async () => {
  const metrics = new RoleMetrics('api')
  let unreadable = 0
  metrics.watch('registry_unreadable_credentials', () => unreadable)
  const read = async () => [{ role: 'api', values: await metrics.read(), restarts: 0 }]
  expect(findReportedNotes(await read())).toEqual([])
  unreadable = 2
  expect(findReportedNotes(await read())).toEqual([
    expect.stringMatching(/^2 stored credentials of agents cannot be read/),
  ])
  const paths = resolvePaths(createDataDir())
  expect(findReportedProblems(await read(), paths, now)).toEqual([])
})
