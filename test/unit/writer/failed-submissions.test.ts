import { expect, it } from 'vitest'
import { verify } from '../../../pipeline/maintenance/verify-stores.ts'
import type { Submission } from '../../../pipeline/model/submission.ts'
import type { Sequencer, SequencerOptions } from '../../../pipeline/writer/sequencer.ts'
import {
  buildBrandSave,
  buildOrganizationWrite,
  buildProofWrite,
} from '../../support/fixtures/submissions.ts'
import { createRecordingLog } from '../../support/registry/recording-log.ts'
import { cleanUp, createDataDir, openSequencer } from '../../support/registry/registry.ts'
import { testClock } from '../../support/worlds/clock.ts'

const clock = testClock('2026-11-20T03:00Z')
const failed = {
  refused: expect.stringContaining('an internal error kept the registry'),
  error: 'internal_error',
}

async function openMember(onStep: NonNullable<SequencerOptions['onStep']> = () => undefined) {
  const { log, said } = createRecordingLog()
  const dataDir = createDataDir()
  const registry = await openSequencer({ dataDir, clock, log, onStep })
  await save(registry, buildOrganizationWrite('Acme'), buildProofWrite('Acme', 'told.example'))
  return { registry, said, open: () => openSequencer({ dataDir, clock, log }) }
}

async function save(registry: Sequencer, ...submissions: Submission[]) {
  const { answers } = await registry.commit({ observations: [], submissions })
  return submissions.map(({ submission_id }) => answers.get(submission_id))
}

/** Renames the table of entries, so that SQLite fails on every save of a brand, and on nothing else. */
const breakTable = ({ index }: Sequencer, table: string) =>
  index.run(`alter table ${table} rename to away`)
const mendTable = ({ index }: Sequencer, table: string) =>
  index.run(`alter table away rename to ${table}`)

it('a submission on which the store fails is refused with a reason, and affects no other', async () => {
  const { registry, said, open } = await openMember()
  await breakTable(registry, 'entries')
  const brand = buildBrandSave('Acme', 'told.example', 'Acme')
  const [first, refused, last] = await save(
    registry,
    buildOrganizationWrite('Before'),
    brand,
    buildOrganizationWrite('After'),
  )
  expect(refused).toEqual(failed)
  expect([first, last]).toEqual([
    { done: expect.objectContaining({}) },
    { done: expect.objectContaining({}) },
  ])
  await mendTable(registry, 'entries')
  expect(said.filter(line => line.includes('submission set aside'))).toHaveLength(1)
  expect(await registry.index.all('select kind, location from quarantine')).toEqual([
    { kind: 'submission', location: brand.submission_id },
  ])
  expect(await save(registry, brand)).toEqual([failed])
  expect(await verify(registry)).toEqual([])
  await registry.close()
  const again = await open()
  cleanUp(() => again.close())
  expect(await save(again, brand)).toEqual([failed])
  expect(await save(again, buildBrandSave('Acme', 'told.example', 'Acme once more'))).toEqual([
    { done: expect.objectContaining({ revision_number: 1 }) },
  ])
  expect(await verify(again)).toEqual([])
})

it('a submission is carried out when the store fails on it once', async () => {
  let tries = 0
  let mending: Promise<unknown> | undefined
  const { registry } = await openMember((step, moment) => {
    if (step !== 'accounts' || moment !== 'before') return
    tries++
    if (tries === 2) mending = mendTable(registry, 'revisions')
  })
  cleanUp(() => registry.close())
  await breakTable(registry, 'revisions')
  tries = 0
  const [answer] = await save(registry, buildBrandSave('Acme', 'told.example', 'Acme'))
  await mending
  expect(tries).toBe(2)
  expect(answer).toEqual({ done: expect.objectContaining({ revision_number: 1 }) })
  expect(await verify(registry)).toEqual([])
})
