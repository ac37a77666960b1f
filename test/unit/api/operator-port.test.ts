import { expect, test } from 'vitest'
import { buildOperatorApp } from '../../../api/operator/app.ts'
import { OperatorMetrics } from '../../../api/operator/operator-metrics.ts'
import { findIncident, incidents, toIncidentPath } from '../../../api/operator/start-page.ts'
import { findGuide, listHeadings, toGuidePath } from '../../../api/pages/guides.ts'
import { toHeadingId } from '../../../api/pages/html/markdown.ts'
import { RoleMetrics } from '../../../jobs/metrics/role-metrics.ts'
import { readConfig } from '../../../pipeline/core/config.ts'
import { silentLog } from '../../../pipeline/core/log.ts'

const NOTE = 'nobody can sign in: follow docs/operate/keys.md'
const OVERDUE = 'the backup in BACKUP_TO is overdue: `registry status` says why'
const build = (
  queues: 'need a token' | 'elsewhere',
  readStatusProblems?: () => Promise<string[]>,
  copyProblems: string[] = [],
) =>
  buildOperatorApp({
    config: readConfig({}),
    log: silentLog,
    metrics: new OperatorMetrics(new RoleMetrics('operator'), {
      build: { version: '1.2.3', commit: 'abc1234' },
      readFreeDisk: () => 7,
    }),
    readReports: async () => [],
    findProblems: async () => [],
    readStatusProblems,
    findCopyProblems: () => copyProblems,
    findNotes: () => [NOTE],
    queues,
    site: 'http://127.0.0.1:3000',
    version: '1.2.3',
  })

test.each([
  ['/queues', 'need a token', 'Set OPERATOR_TOKEN to see the queues: jobs contain private data.'],
  ['/queues/', 'need a token', 'Set OPERATOR_TOKEN to see the queues: jobs contain private data.'],
  ['/queues', 'elsewhere', 'Nothing is served at this path; / lists what is.'],
  ['/nothing', 'need a token', 'Nothing is served at this path; / lists what is.'],
] as const)('the operator is told why %s is missing (%s)', async (url, queues, error) => {
  const app = build(queues)
  const answer = await app.inject({ url, headers: { host: '127.0.0.1:3100' } })
  expect([answer.statusCode, answer.json()]).toEqual([404, { error, code: 'not_found' }])
  await app.close()
})

test('the version that runs and the disk are shown while no role answers', async () => {
  const app = build('elsewhere')
  const headers = { host: '127.0.0.1:3100' }
  const { body } = await app.inject({ url: '/metrics', headers })
  expect(body).toContain('registry_build_info{version="1.2.3",commit="abc1234"} 1\n')
  expect(body).toContain('registry_disk_free_bytes 7\n')
  expect((await app.inject({ url: '/', headers })).body).toMatch(
    /This is version 1\.2\.3 of <a href="[^"]+">the registry<\/a>\./,
  )
  expect((await app.inject({ url: '/favicon.ico', headers })).statusCode).toBe(204)
  await app.close()
})

test('a note is on the page of the operator, and leaves the registry ready', async () => {
  const app = build('elsewhere')
  const headers = { host: '127.0.0.1:3100' }
  const ready = await app.inject({ url: '/readyz', headers })
  expect([ready.statusCode, ready.json()]).toEqual([
    200,
    { status: 'ready', problems: [], blocking: [], notes: [NOTE] },
  ])
  const { body } = await app.inject({ url: '/', headers })
  expect(body).toContain('No problems found.')
  expect(body).not.toContain('Needs attention')
  expect(body).toContain(
    'Notes:</p><ul><li>nobody can sign in: follow <a href="http://127.0.0.1:3000/docs/guides/keys">docs/guides/keys</a></li>',
  )
  await app.close()
})

test.each([
  [
    'the disk of /data is full: reads go on, and writes resume once there is room',
    'The disk is full',
  ],
  ['200 MB are free on the disk of DATA_DIR: free some space', 'The disk is full'],
  ['Redis does not answer: what is stored can be read', 'Redis is down or has lost its data'],
  ['the writer has made no progress since 2026: saves and crawls wait', 'The writer is stalled'],
  ['the indexer does not answer', 'The writer is stalled'],
  ['registry.duckdb is missing: the next start rebuilds it', 'A store is damaged or missing'],
  [
    'removals of 2 publishers are held back: `registry held list`',
    'A crawl would remove a large part of the registry',
  ],
  ['no backup has been made in s3://bucket since this start: access denied', 'Backups fail'],
  ['s3://bucket has no backup of the last 2 h: access denied', 'Backups fail'],
  [OVERDUE, 'Backups fail'],
  ['the last backup to s3://bucket failed: access denied; fix this', 'Backups fail'],
  ['new events wait to be logged until BACKUP_TO can be written', 'Backups fail'],
  [
    '4 jobs of the queue storyboards failed in the last 24 hours: the work is repeated',
    'Jobs fail',
  ],
  ['no crawler is running', undefined],
])('the page of the operator leads from “%s” to “%s”', (problem, title) => {
  expect(findIncident(problem)).toBe(title)
})

test('the page of the operator and /readyz name what status does, and only what stops it is a 503', async () => {
  const problem = 'removals of 2 publishers are held back: `registry held list`'
  const app = build('elsewhere', async () => [problem])
  const headers = { host: '127.0.0.1:3100' }
  const { body } = await app.inject({ url: '/', headers })
  expect(body).toContain(
    `<li>${problem.replace(/`(.+)`/, '<code>$1</code>')} <a href="http://127.0.0.1:3000/docs/guides/incidents#a-crawl`,
  )
  const ready = await app.inject({ url: '/readyz', headers })
  expect(ready.statusCode).toBe(200)
  expect(ready.json()).toMatchObject({ status: 'ready', problems: [problem], blocking: [] })
  await app.close()
})

test('a backup that is overdue is named by a role alone too, and leaves it ready', async () => {
  const app = build('elsewhere', undefined, [OVERDUE])
  const ready = await app.inject({ url: '/readyz', headers: { host: '127.0.0.1:3100' } })
  expect(ready.statusCode).toBe(200)
  expect(ready.json()).toMatchObject({ status: 'ready', problems: [OVERDUE], blocking: [] })
  await app.close()
})

test('the page of the operator links every section of the guide of incidents', async () => {
  const headings = listHeadings(findGuide('incidents')?.markdown ?? '')
  expect(incidents).toEqual(headings)
  const paths = headings.map(heading => `${toGuidePath('incidents')}#${toHeadingId(heading)}`)
  expect(incidents.map(toIncidentPath)).toEqual(paths)
  const app = build('elsewhere')
  const page = await app.inject({ url: '/', headers: { host: '127.0.0.1:3100' } })
  for (const path of paths) expect(page.body).toContain(`href="http://127.0.0.1:3000${path}"`)
  await app.close()
})
