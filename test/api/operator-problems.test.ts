import { expect, test } from 'vitest'
import { findReportedNotes, findReportedProblems } from '../../api/operator/health.ts'
import { RoleMetrics } from '../../jobs/metrics/role-metrics.ts'
import { HOUR, MINUTE, SECOND, toIso } from '../../pipeline/core/clock.ts'
import { resolvePaths } from '../../pipeline/store/paths.ts'
import { createDataDir } from '../support/registry/registry.ts'

const now = Date.parse('2026-11-20T03:00Z')

/** Finds the problems that an indexer reports by one metric. */
async function findProblems(
  name: 'registry_upload_behind_seconds' | 'registry_backup_behind_seconds',
  valueMs: number,
): Promise<string[]> {
  const metrics = new RoleMetrics('indexer')
  metrics.watch(name, () => valueMs / SECOND)
  const reports = [{ role: 'indexer', values: await metrics.read(), restarts: 0 }]
  return findReportedProblems(reports, resolvePaths(createDataDir()), now)
}

test.each([
  [
    'registry_upload_behind_seconds',
    5 * MINUTE,
    'the bucket of PUBLISH_TO lacks what was published',
  ],
  ['registry_backup_behind_seconds', HOUR, 'BACKUP_TO has no backup of what was committed'],
] as const)('an operator is told when %s is too high', async (name, limitMs, problem) => {
  expect(await findProblems(name, limitMs)).toEqual([])
  const laterMs = limitMs + SECOND
  expect(await findProblems(name, laterMs)).toEqual([
    `${problem} since ${toIso(now - laterMs)}: \`registry status\` says why`,
  ])
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
    'the api does not answer: if this lasts, end it with `kill -9 7`, and `start` starts it again',
    'the api does not answer: if this lasts, end it with `kill -9 8`, and `start` starts it again',
    'the api does not answer',
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
