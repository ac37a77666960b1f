import { expect, test } from 'vitest'
import { verify } from '../../../pipeline/maintenance/verify-stores.ts'
import type { Answer, Submission } from '../../../pipeline/model/submission.ts'
import type { RecordedAnswers } from '../../../pipeline/writer/apply-context.ts'
import type { Sequencer } from '../../../pipeline/writer/sequencer.ts'
import { observeFile, observeOutcome } from '../../support/fixtures/observations.ts'
import {
  buildBrandSave,
  buildOrganizationWrite,
  buildProofWrite,
} from '../../support/fixtures/submissions.ts'
import { openTestSequencer } from '../../support/registry/registry.ts'
import { testClock } from '../../support/worlds/clock.ts'

const CRAWLED = 'crawled.example'
const clock = testClock('2026-11-20T03:00Z')

/** Opens two writers with the same state: that of the host that will be gone, and one restored from its backup. */
async function openTwo() {
  const [gone, next] = [await openTestSequencer(clock), await openTestSequencer(clock)]
  for (const writer of [gone, next]) {
    const domains = [CRAWLED, 'saved.example'].map(domain => buildProofWrite('Acme', domain))
    await save(writer, buildOrganizationWrite('Acme'), ...domains)
  }
  return { gone, next }
}

async function save(writer: Sequencer, ...submissions: Submission[]): Promise<RecordedAnswers> {
  const { at, answers } = await writer.commit({ observations: [], submissions })
  return { at, answers }
}

/** Repeats submissions an hour later, as the writer does that takes over. */
async function repeat(
  writer: Sequencer,
  recorded: RecordedAnswers,
  ...submissions: Submission[]
): Promise<Map<string, Answer>> {
  clock.tick({ hours: 1 })
  return (await writer.commit({ observations: [], submissions, recorded })).answers
}

/** Has a writer read the file of a brand, or find none. */
async function crawl(writer: Sequencer, isThere: boolean): Promise<void> {
  const at = clock.tick({ minutes: 1 })
  const observation = isThere
    ? observeFile('brand.json', CRAWLED, { id: 'own', names: [{ en: 'Its own' }] }, at)
    : observeOutcome('absent', 'brand.json', CRAWLED, at)
  await writer.commit({ observations: [observation], submissions: [] })
}

const loadRevisions = ({ index }: Sequencer) =>
  index.all(
    'select domain, revision_number, editor_id, created_at, state from revisions order by 1, 2, 3, 4, 5',
  )

test('what was carried out is so again: at its time, by the same editor, as the same revision', async () => {
  const { gone, next } = await openTwo()
  const saves = ['One', 'Two', 'Three'].map(name => buildBrandSave('Acme', 'saved.example', name))
  const recorded = await save(gone, ...saves)
  expect(await repeat(next, recorded, ...saves)).toEqual(recorded.answers)
  expect(await loadRevisions(next)).toEqual(await loadRevisions(gone))
  expect(await verify(next)).toEqual([])
})

test('what was refused for a file that this writer has not observation is refused again', async () => {
  const { gone, next } = await openTwo()
  await crawl(gone, true)
  const saved = buildBrandSave('Acme', CRAWLED, 'Another name')
  const recorded = await save(gone, saved)
  expect(recorded.answers.get(saved.submission_id)).toHaveProperty('refused')
  expect(await repeat(next, recorded, saved)).toEqual(recorded.answers)
  expect(await loadRevisions(next)).toEqual([])
})

test('what was carried out because a file had gone is so again, though this writer has the file still', async () => {
  const { gone, next } = await openTwo()
  for (const writer of [gone, next]) await crawl(writer, true)
  for (let month = 0; month < 3; month++) {
    clock.tick({ days: 30 })
    await crawl(gone, false)
  }
  const saved = buildBrandSave('Acme', CRAWLED, 'Another name')
  const recorded = await save(gone, saved)
  expect(recorded.answers.get(saved.submission_id)).toHaveProperty('done')
  const answers = await repeat(next, recorded, saved)
  expect(answers.get(saved.submission_id)).toHaveProperty('done')
  expect(await verify(next)).toEqual([])
})

test('repeated twice, it is done once', async () => {
  const { gone, next } = await openTwo()
  const saved = buildBrandSave('Acme', 'saved.example', 'One')
  const recorded = await save(gone, saved)
  for (let n = 0; n < 2; n++) expect(await repeat(next, recorded, saved)).toEqual(recorded.answers)
  expect(await loadRevisions(next)).toHaveLength(1)
})
