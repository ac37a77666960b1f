import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Log } from '../../../pipeline/core/log.ts'
import { type Answer, Operation } from '../../../pipeline/model/submission.ts'
import { exportParquet } from '../../../pipeline/store/columnar/parquet.ts'
import { resolvePaths } from '../../../pipeline/store/paths.ts'
import { openRecordReadOnly } from '../../../pipeline/store/record.ts'
import { listTables, readTableFile } from '../../../pipeline/store/table-files.ts'
import { Sequencer } from '../../../pipeline/writer/sequencer.ts'
import { observeFile } from '../../support/fixtures/observations.ts'
import { buildOrganizationWrite } from '../../support/fixtures/submissions.ts'
import { makeTemporaryFolder } from '../../support/processes/command.ts'
import { buildMemberOperations } from '../../support/registry/members.ts'
import { buildOptions } from '../../support/registry/registry.ts'
import { testClock } from '../../support/worlds/clock.ts'

const folder = makeTemporaryFolder()
const paths = resolvePaths(folder.path)
const shown = 'https://shown-agent.acme.example/mcp'
const privateNames = ['members-agent', 'private-agent', 'refused-agent', 'removed-agent']
const url = (name: string) => `https://${name}.acme.example/mcp`
const said: string[] = []

/** Remembers every line, whatever its level. */
const log = {
  ...Object.fromEntries(
    ['fatal', 'error', 'warn', 'info', 'debug'].map(level => [
      level,
      (...line: unknown[]) => said.push(JSON.stringify(line)),
    ]),
  ),
  child: () => log,
} as unknown as Log

beforeAll(async () => {
  const clock = testClock('2026-11-20T03:00Z')
  const options = buildOptions({ dataDir: folder.path, clock, log })
  let registry = (await Sequencer.open(options))!
  const submit = async (...operations: Operation[]): Promise<Answer[]> => {
    const submissions = operations.map((operation, i) => ({
      ...buildOrganizationWrite(`${clock.now()} ${i}`),
      operation,
    }))
    clock.tick({ minutes: 1 })
    const observation = observeFile('adagents.json', 'news.example', file, clock.now())
    const { answers } = await registry.commit({ observations: [observation], submissions })
    return submissions.map(({ submission_id }) => answers.get(submission_id)!)
  }
  const file = {
    authorized_agents: [],
    properties: [
      {
        property_type: 'website',
        name: 'News',
        identifiers: [{ type: 'domain', value: 'news.example' }],
      },
    ],
  }
  const save = (name: string, more: object) =>
    Operation.parse({ op: 'member.agent.save', org: 'Acme', url: url(name), ...more })
  await submit(buildOrganizationWrite('Acme').operation)
  await submit(
    ...buildMemberOperations({ org: 'Acme', tier: 'company_icl', agents: [{ url: shown }] }),
  )
  await submit(
    save('members-agent', { type: 'sales', visibility: 'members_only' }),
    save('private-agent', { type: 'signals' }),
    save('removed-agent', { type: 'sales', visibility: 'private' }),
  )
  await registry.publish()
  const [refused] = await submit(save('refused-agent', { visibility: 'public' }))
  expect(refused).toMatchObject({ refused: 'a new agent requires a type' })
  await submit(
    Operation.parse({ op: 'member.agent.remove', org: 'Acme', url: url(privateNames[3]!) }),
  )
  await registry.publish()
  await exportParquet(paths, clock.now(), log)
  await registry.close()
  registry = (await Sequencer.open(options))!
  await registry.close()
})

afterAll(() => folder.remove())

function listFiles(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .map(name => join(dir, name))
    .filter(path => statSync(path).isFile())
}

describe('a private agent', () => {
  it('is in no file but the private stores', () => {
    const files = listFiles(folder.path).filter(path => !/\/record\/|\/serving\//.test(path))
    const names = files.map(path => path.slice(folder.path.length + 1))
    expect(names.join()).toMatch(/columnar\.duckdb.*snapshots\/.*/)
    expect(names.join()).toMatch(/events\/.*\.ndjson/)
    expect(names.join()).toMatch(/\.parquet/)
    const holding = (host: string) => files.filter(path => readFileSync(path).includes(host))
    for (const name of privateNames) expect(holding(name), name).toEqual([])
    expect(holding('shown-agent'), 'one that is shown is found like this').not.toEqual([])
    const hidden = listFiles(folder.path).filter(path =>
      readFileSync(path).includes('private-agent'),
    )
    expect(hidden, 'and the private stores do hold it').not.toEqual([])
  })

  it('is in no row of the index', async () => {
    const record = openRecordReadOnly(paths.record)
    const dump = listTables('tables')
      .map(name => readTableFile('tables', name).storedAs)
      .map(table => JSON.stringify(record.all(`select * from ${table}`)))
      .join()
    record.close()
    for (const name of privateNames) expect(dump).not.toContain(name)
    expect(dump).toContain('shown-agent')
  })

  it('is in no log line', () => {
    expect(said.length).toBeGreaterThan(5)
    for (const name of privateNames) expect(said.join()).not.toContain(name)
  })
})
