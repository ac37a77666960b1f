import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Sequencer } from '../../pipeline/writer/sequencer.ts'
import { makeTemporaryFolder, runRegistry } from '../support/processes/command.ts'
import { runHere } from '../support/processes/command-here.ts'
import { buildOptions } from '../support/registry/registry.ts'
import { testClock } from '../support/worlds/clock.ts'
import { listDomains, observeAll } from '../support/worlds/many-publishers.ts'
import { buildShop } from '../support/worlds/nights.ts'

const folder = makeTemporaryFolder()
const env = { DATA_DIR: folder.path, REDIS_URL: undefined, LOG_LEVEL: 'error' }
const settings = { BRAKE_ROWS: '3', BRAKE_PUBLISHERS: '3' }
const held = (...args: string[]) => runHere(['held', ...args], env)

beforeAll(async () => {
  const clock = testClock('2026-11-20T04:00Z')
  const options = buildOptions({ dataDir: folder.path, clock, settings })
  const sequencer = (await Sequencer.open(options))!
  for (const found of [buildShop, 'absent'] as const) {
    await sequencer.commit({
      observations: observeAll(listDomains(3), found, clock),
      submissions: [],
    })
    clock.tick({ days: 1 })
  }
  await sequencer.publish()
  await sequencer.close()
})

afterAll(() => folder.remove())

describe('registry held', () => {
  test('lists, releases and drops held publishers', async () => {
    const line = /^p0\.example +failed +0 grants, 1 property, since 2026-11-21T04:00:00.000Z$/m
    expect((await held('list')).stdout).toMatch(line)
    expect(JSON.parse((await held('list', '--json')).stdout)).toHaveLength(3)
    expect((await runHere(['stats'], env)).stdout).toMatch(/^held +3$/m)

    expect(await held('release', 'p9.example')).toMatchObject({
      status: 1,
      stderr: 'No removals are held back for p9.example.\n',
    })
    expect(await held('drop')).toMatchObject({ status: 1, stderr: 'Give the domains, or --all.\n' })

    expect((await held('release', 'p0.example')).stdout).toBe(
      'Applied the removals of 1 publisher.\n',
    )
    expect((await held('drop', '--all')).stdout).toBe('Discarded the removals of 2 publishers.\n')
    expect((await held('list')).stdout).toBe('No removals are held back.\n')
    expect(await runRegistry(['verify'], env)).toMatchObject({ status: 0 })
  })
})
