import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Sequencer } from '../../pipeline/writer/sequencer.ts'
import { makeTemporaryFolder, runRegistry } from '../support/processes/command.ts'
import { runHere } from '../support/processes/command-here.ts'
import { MergingRegistry } from '../support/registry/merging-registry.ts'
import { buildOptions } from '../support/registry/registry.ts'
import { testClock } from '../support/worlds/clock.ts'

const folder = makeTemporaryFolder()
const env = { DATA_DIR: folder.path, REDIS_URL: undefined, LOG_LEVEL: 'error' }
const nobody = '019a0000-0000-7000-8000-000000000000'
let rids: string[] = []

const file = (domain: string) => ({
  authorized_agents: [],
  properties: [
    {
      property_id: 'home',
      property_type: 'website',
      name: domain,
      identifiers: [{ type: 'domain', value: domain }],
    },
  ],
})

/** Opens the stores while no command uses them. */
async function openStores<Result>(
  work: (merging: MergingRegistry) => Promise<Result>,
): Promise<Result> {
  const clock = testClock('2026-11-20T03:00Z')
  const sequencer = await Sequencer.open(buildOptions({ dataDir: folder.path, clock }))
  try {
    return await work(new MergingRegistry(sequencer!, clock))
  } finally {
    await sequencer!.close()
  }
}

beforeAll(async () => {
  rids = await openStores(async merging => {
    await merging.runNight({ 'a.example': file('a.example'), 'b.example': file('b.example') })
    return [
      await merging.findRid('property', 'a.example', 'home'),
      await merging.findRid('property', 'b.example', 'home'),
    ]
  })
})

afterAll(() => folder.remove())

describe('registry merge', () => {
  test('merges two records, and refuses invalid input with a reason', async () => {
    const [alias, canonical] = rids as [string, string]
    const merge = (...args: string[]) => runHere(['merge', ...args], env)
    const sold = ['merge', 'property', alias.toUpperCase(), canonical, '--evidence', 'sold']
    expect(await runRegistry(sold, env)).toEqual({
      status: 0,
      stdout: `${alias} now answers with ${canonical}\n`,
      stderr: '',
    })
    expect(await merge('property', alias, canonical)).toMatchObject({
      status: 1,
      stderr: `${alias} was merged into ${canonical} already.\n`,
    })
    expect(await merge('collection', nobody, canonical)).toMatchObject({
      status: 1,
      stderr: `No collection has the rid ${nobody}.\n`,
    })
    expect((await merge('property', 'home', canonical)).stderr).toContain('must be the registry ID')
    expect((await merge('brand', alias, canonical)).stderr).toContain('property or collection')
    const aliases = 'select kind, alias_rid, canonical_rid, evidence from aliases'
    expect(await openStores(merging => merging.rows(aliases))).toEqual([
      { kind: 'property', alias_rid: alias, canonical_rid: canonical, evidence: 'sold' },
    ])
  })
})
