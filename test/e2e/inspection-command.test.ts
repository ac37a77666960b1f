import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FailureReport } from '../../pipeline/maintenance/inspect/crawl-failures.ts'
import type { DomainReport } from '../../pipeline/maintenance/inspect/domain-report.ts'
import { Sequencer } from '../../pipeline/writer/sequencer.ts'
import type { RegistryStatus } from '../../scripts/commands/status-text.ts'
import { observeFile, observeOutcome } from '../support/fixtures/observations.ts'
import { buildSubmission } from '../support/fixtures/submissions.ts'
import { makeTemporaryFolder, waitUntil } from '../support/processes/command.ts'
import { runHere } from '../support/processes/command-here.ts'
import { startRedis } from '../support/processes/redis.ts'
import { ScriptProcess } from '../support/processes/script-process.ts'
import { buildOptions } from '../support/registry/registry.ts'
import { testClock } from '../support/worlds/clock.ts'
import { buildPointer, buildShop } from '../support/worlds/nights.ts'

const folder = makeTemporaryFolder()
const dataDir = `${folder.path}/data`
const run = (...args: string[]) =>
  runHere(args, { DATA_DIR: dataDir, REDIS_URL: undefined, LOG_LEVEL: 'error' })
const runJson = async <Answer>(...args: string[]) =>
  JSON.parse((await run(...args, '--json')).stdout) as Answer

beforeAll(async () => {
  const clock = testClock('2026-11-20T04:00Z')
  const sequencer = (await Sequencer.open(buildOptions({ dataDir, clock })))!
  const domains = ['shop.example', 'points.example', 'down.example', 'gone.example'] as never
  await sequencer.commit({
    observations: [],
    submissions: [buildSubmission('add', { op: 'domains.add', domains, again: false })],
  })
  const at = clock.tick({ minutes: 1 })
  await sequencer.commit({
    observations: [
      observeFile('adagents.json', 'shop.example', buildShop('shop.example'), at),
      observeFile('adagents.json', 'points.example', buildPointer('shop.example'), at),
      observeOutcome('server_error', 'adagents.json', 'down.example', at),
      observeOutcome('dns_failed', 'brand.json', 'down.example', at),
      observeOutcome('absent', 'adagents.json', 'gone.example', at),
    ],
    submissions: [],
  })
  await sequencer.publish()
  await sequencer.close()
})

afterAll(() => folder.remove())

describe('registry why', () => {
  test('says how each file of a domain was read, when it is due next, and why', async () => {
    const report = await runJson<DomainReport>('why', 'shop.example')
    expect(report).toMatchObject({ taken_down: null, frontier: { why: 'given' }, held: null })
    const [file] = report.files
    expect(file).toMatchObject({
      kind: 'adagents.json',
      location: 'shop.example',
      outcome: 'ok',
      status: 200,
      attempted_at: '2026-11-20T04:01:00.000Z',
      due_because: 'the interval doubles after each unchanged response, up to one day',
      document: { variant: 'inline', faults: expect.any(Number) },
    })
    expect(Date.parse(file!.due_at!)).toBeGreaterThan(Date.parse(file!.attempted_at!))
    const { stdout } = await run('why', 'shop.example')
    expect(stdout).toMatch(
      /To see the issues in its files, open http:\S+\/workshop\?domain=shop\.example\n/,
    )
  })

  test('names the domains that depend on its files', async () => {
    const { dependants } = await runJson<DomainReport>('why', 'shop.example')
    expect(dependants).toContainEqual({ rule: 'publisher', domains: 1, first: ['points.example'] })
    const { stdout } = await run('why', 'shop.example')
    expect(stdout).toContain('1 other publisher depends on its files: points.example')
    const pointing = await runJson<DomainReport>('why', 'points.example')
    expect(pointing.files.map(({ location }) => location)).toContain('shop.example')
  })

  test('says which rule made a failed file wait, and what has not been tried', async () => {
    const { stdout } = await run('why', 'down.example')
    expect(stdout).toContain('): the server returned an error (HTTP 500)')
    expect(stdout).toContain(
      'the interval doubles after each attempt without a response, from 1 hour',
    )
    expect((await run('why', 'gone.example')).stdout).toMatch(
      /brand\.json .*\n +last attempt +none yet/,
    )
  })

  test('says of a file that never existed only that it is absent', async () => {
    const [file] = (await runJson<DomainReport>('why', 'gone.example')).files
    expect(file).toMatchObject({ kind: 'adagents.json', outcome: 'absent', document: null })
    expect(file).toMatchObject({ succeeded_at: null, ended_at: null })
    const { stdout } = await run('why', 'gone.example')
    expect(stdout).toContain('): not found (HTTP 404)')
    expect(stdout).not.toContain('in force')
    expect((await run('why', 'shop.example')).stdout).toContain('in force      no longer, since')
  })

  test('ends with 1 for a domain that the registry does not crawl', async () => {
    expect(await run('why', 'nobody.example')).toEqual({
      status: 1,
      stdout:
        'nobody.example: not crawled by this registry. To add it, run `registry crawl nobody.example`.\n',
      stderr: '',
    })
  })

  test('names the domain that was meant by a mistyped one', async () => {
    const { stdout } = await run('why', 'shopp.example')
    expect(stdout).toBe('shopp.example: not crawled by this registry. Did you mean shop.example?\n')
    expect((await runJson<DomainReport>('why', 'shop.test')).nearest).toBe('shop.example')
  })
})

describe('registry failures', () => {
  test('counts failed files by reason; a missing file is no failure', async () => {
    const { files, groups } = await runJson<FailureReport>('failures')
    expect(files).toBe(2)
    expect(groups.map(({ group, files }) => [group, files])).toEqual([
      ['dns_failed  brand.json', 1],
      ['server_error  adagents.json', 1],
    ])
    expect((await run('failures')).stdout).toContain('the name does not resolve')
  })

  test('counts them by host, at most as many groups as asked for', async () => {
    const { groups } = await runJson<FailureReport>('failures', '--by', 'host', '--limit', '1')
    expect(groups).toMatchObject([{ group: 'down.example', files: 2 }])
  })
})

describe('registry status', () => {
  test('shows a stopped registry as its record is, and ends with 1', async () => {
    expect((await run('status')).status).toBe(1)
    const status = await runJson<RegistryStatus>('status')
    expect(status).toMatchObject({
      running: null,
      source: 'record',
      index: { publishers: expect.any(Number), due: expect.any(Number), held: 0 },
      queues: null,
    })
    expect(status.problems).toContain('no registry is running here')
    expect(status.stores.map(({ name }) => name)).toContain('record')
  })

  test('asks a running indexer, and names the roles that are missing', async () => {
    const redis = await startRedis()
    const indexer = new ScriptProcess('indexer.ts', [dataDir, redis.url, '{}'])
    await indexer.waitForLine('ready')
    // Its workers connect to Redis beside what else it begins with.
    const status = await waitUntil(async () => {
      const report = await runJson<RegistryStatus>('status')
      const { workers } = report.queues!.find(({ name }) => name === 'observations')!
      return workers === 1 && report
    })
    expect(status).toMatchObject({ source: 'indexer', has_push: false })
    expect(status.problems).toContain('no crawler is running')
    expect((await runJson<DomainReport>('why', 'shop.example')).files).not.toEqual([])
    const shown = await run('top', '--times', '1')
    expect(shown).toMatchObject({ status: 0, stdout: expect.stringContaining('attempted') })
    await indexer.kill()
    await redis.close()
  })
})

describe('the command line', () => {
  test('prints its version, and the commit of its build', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    const { status, stdout } = await run('--version')
    expect(status).toBe(0)
    expect(stdout.replace(/ \(\S+\)$/m, '')).toBe(`${version}\n`)
  })

  test('ends quietly when its reader has gone', () => {
    const command = `node dist/scripts/registry.js failures | true; echo \${PIPESTATUS[0]}`
    const { stdout, stderr } = spawnSync('bash', ['-c', command], {
      env: { PATH: process.env.PATH, DATA_DIR: dataDir },
      stdio: ['ignore', 'pipe', 'pipe'],
      encoding: 'utf8',
    })
    expect([stdout, stderr]).toEqual(['0\n', ''])
  })

  test('refuses a crawl without domains, and top while no registry runs', async () => {
    expect(await run('crawl')).toMatchObject({
      status: 1,
      stderr: 'Give at least one domain, or --domains FILE.\n',
    })
    expect(await run('crawl', 'no domain')).toMatchObject({ status: 1 })
    expect((await run('top', '--times', '1')).stderr).toContain('No registry is running')
  })
})
