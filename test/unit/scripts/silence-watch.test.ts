import { utimesSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { writeRunFile } from '../../../jobs/run-file.ts'
import { MINUTE, SECOND } from '../../../pipeline/core/clock.ts'
import { makeFolders, resolvePaths } from '../../../pipeline/store/paths.ts'
import { SilenceWatch } from '../../../scripts/commands/frozen-indexer.ts'
import { createDataDir } from '../../support/registry/registry.ts'

function makeWatch() {
  const paths = resolvePaths(createDataDir())
  makeFolders(paths)
  writeFileSync(paths.heartbeat, '')
  const lines: string[] = []
  const watch = new SilenceWatch(paths, text => lines.push(text))
  const beat = (at: number) => utimesSync(paths.heartbeat, at / 1_000, at / 1_000)
  const start = Date.now()
  beat(start)
  return { watch, lines, beat, start, paths }
}

test('a patient command names the process of an indexer that is frozen', () => {
  const { watch, lines, start, paths } = makeWatch()
  const { pid } = process
  writeRunFile(paths, { base_url: '', redis_url: '', indexer_pid: pid, started_at: '' })
  watch.look(start + 10 * SECOND)
  expect(lines).toEqual([
    `waiting for the indexer, which has made no progress for 10 s: if this lasts, end it with \`kill -9 ${pid}\`, and \`start\` starts it again`,
  ])
  expect(() => watch.look(start + 5 * MINUTE)).toThrow(`\`kill -9 ${pid}\``)
})

test('a patient command says after ten seconds, and every minute, that the indexer makes no progress', () => {
  const { watch, lines, beat, start } = makeWatch()
  for (let s = 1; s <= 80; s++) watch.look(start + s * SECOND)
  expect(lines).toEqual([
    'waiting for the indexer, which has made no progress for 10 s',
    'waiting for the indexer, which has made no progress for 70 s',
  ])
  beat(start + 80 * SECOND)
  watch.look(start + 81 * SECOND)
  watch.look(start + 91 * SECOND)
  expect(lines.slice(2)).toEqual(['waiting for the indexer, which has made no progress for 11 s'])
})

test('a patient command ends after five minutes without progress, and says what becomes of its request', async () => {
  const { watch, start } = makeWatch()
  expect(() => watch.look(start + 5 * MINUTE)).toThrow(
    'the indexer has made no progress for 5 minutes: see `registry status`; what was requested goes on once it runs',
  )
  expect(await watch.during(pause(5, 'answered'))).toBe('answered')
  await expect(watch.during(Promise.reject(new Error('away')))).rejects.toThrow('away')
})
