import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { answerQuestion } from '../../../jobs/indexer/questions.ts'
import { hashContent } from '../../../pipeline/crawl/crawl-source.ts'
import { observeFile } from '../../support/fixtures/observations.ts'
import { openTestSequencer } from '../../support/registry/registry.ts'
import { testClock } from '../../support/worlds/clock.ts'
import { buildShop } from '../../support/worlds/nights.ts'

test('commits go on while documents as fetched are verified', async () => {
  const clock = testClock('2026-11-20T03:00Z')
  const registry = await openTestSequencer(clock)
  // Who reads it waits until somebody writes to it.
  const pipe = registry.paths.bodyFile(hashContent(Buffer.from('{}')))
  mkdirSync(dirname(pipe), { recursive: true })
  execFileSync('mkfifo', [pipe])
  const verified = answerQuestion({ ask: 'verify' }, registry, clock, () => ({}))
  const observation = observeFile('adagents.json', 'a.example', buildShop('a.example'), clock.now())
  const committed = registry.commit({ observations: [observation], submissions: [] })
  const late = new Promise(resolve => setTimeout(resolve, 10_000, 'late'))
  const first = await Promise.race([committed, late])
  const writer = openSync(pipe, 'r+')
  rmSync(pipe)
  closeSync(writer)
  expect(first).toMatchObject({ seq: 1 })
  expect(await verified).toEqual([])
})
