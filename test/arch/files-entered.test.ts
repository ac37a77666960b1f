import { expect, test } from 'vitest'
import type { Observation } from '../../pipeline/model/observation.ts'
import type { Submission } from '../../pipeline/model/submission.ts'
import { listFilesEntered } from '../support/checks/files-entered.ts'
import { observeFile, observeOutcome } from '../support/fixtures/observations.ts'
import {
  buildBrandSave,
  buildOrganizationWrite,
  buildProofWrite,
} from '../support/fixtures/submissions.ts'
import { openTestSequencer } from '../support/registry/registry.ts'
import { testClock } from '../support/worlds/clock.ts'

const clock = testClock('2026-11-20T03:00Z')

/** Lists the files that a commit enters: loops that other tests left running are in `jobs/`. */
const listEntered = async (commit: () => Promise<unknown>) =>
  (await listFilesEntered(commit)).filter(path => path.startsWith('pipeline/'))

/** Measures the second of two like commits, so that nothing is read for the first time. */
test('the commit of an edited brand enters at most 60 source files', async () => {
  const registry = await openTestSequencer(clock)
  const commit = (...submissions: Submission[]) =>
    registry.commit({ observations: [], submissions })
  await commit(buildOrganizationWrite('Org'))
  await commit(buildProofWrite('Org', 'org.example'))
  for (const name of ['One', 'Two', 'Three'])
    await commit(buildBrandSave('Org', 'a.org.example', name))
  const edit = buildBrandSave('Org', 'a.org.example', 'Four')
  const files = await listEntered(() => commit(edit))
  expect(files).toContain('pipeline/writer/community/saves.ts')
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(60)
})

test('the commit of an unchanged observation enters at most 40 source files', async () => {
  const registry = await openTestSequencer(clock)
  const commit = (...observations: Observation[]) =>
    registry.commit({ observations, submissions: [] })
  const observeAgain = () => {
    clock.tick({ days: 1 })
    return observeOutcome('unchanged', 'brand.json', 'a.example', clock.now())
  }
  const brand = { house: { domain: 'a.example', name: 'A' }, brands: [] }
  await commit(observeFile('brand.json', 'a.example', brand, clock.now()))
  for (const _ of [1, 2]) await commit(observeAgain())
  const observation = observeAgain()
  const files = await listEntered(() => commit(observation))
  expect(files).toContain('pipeline/writer/crawl/crawl-state.ts')
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(40)
})
