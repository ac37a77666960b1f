import { utimesSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { writeRunFile } from '../../../jobs/run-file.ts'
import { SECOND } from '../../../pipeline/core/clock.ts'
import { makeFolders, resolvePaths } from '../../../pipeline/store/paths.ts'
import { IndexerWatch } from '../../../scripts/commands/indexer-watch.ts'
import { createDataDir } from '../../support/registry/registry.ts'

test('a start logs once that its indexer is frozen, with what to do, and once that it answers again', () => {
  const paths = resolvePaths(createDataDir())
  makeFolders(paths)
  const { pid } = process
  writeRunFile(paths, { base_url: '', redis_url: '', indexer_pid: pid, started_at: '' })
  const lines: string[] = []
  const log = {
    warn: (text: string) => lines.push(text),
    error: (text: string) => lines.push(text),
  }
  const watch = new IndexerWatch(paths, log as never)
  const start = Date.now()
  const beat = (at: number) => utimesSync(paths.heartbeat, at / 1_000, at / 1_000)
  writeFileSync(paths.heartbeat, '')
  beat(start)
  for (let s = 1; s <= 60; s++) watch.look(start + s * SECOND)
  expect(lines).toEqual([
    `the indexer does not answer: if this lasts, end it with \`kill -9 ${pid}\`, and \`start\` starts it again. Reads go on; saves and crawls wait.`,
  ])
  beat(start + 65 * SECOND)
  watch.look(start + 66 * SECOND)
  watch.look(start + 70 * SECOND)
  expect(lines.slice(1)).toEqual(['the indexer answers again, after 65 s'])
})
