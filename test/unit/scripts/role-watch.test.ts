import { expect, test } from 'vitest'
import { findReportedProblems } from '../../../api/operator/health.ts'
import { SECOND } from '../../../pipeline/core/clock.ts'
import { resolvePaths } from '../../../pipeline/store/paths.ts'
import { RoleWatch } from '../../../scripts/commands/role-watch.ts'
import { createDataDir } from '../../support/registry/registry.ts'

const pids = { indexer: 11, api: 12, crawler: 13, push: 14 }

function openWatch() {
  const lines: string[] = []
  const log = {
    warn: (text: string) => lines.push(text),
    error: (text: string) => lines.push(text),
  }
  const watch = new RoleWatch(log as never)
  const look = (seconds: number, silent: string[], running: Record<string, number> = pids) =>
    watch.look(
      Object.entries(running).map(([role, pid]) => ({
        role,
        pid,
        restarts: 0,
        values: silent.includes(role) ? undefined : [],
      })),
      seconds * SECOND,
    )
  return { lines, look, watch }
}

test.each([
  ['indexer', 'indexer', 11, 'Reads go on; saves and crawls wait.'],
  ['api', 'API', 12, 'Requests to it get no response.'],
  ['crawler', 'crawler', 13, 'Reads and saves go on; crawls wait.'],
  ['push', 'push process', 14, 'Webhooks and mails wait.'],
])(
  'a start logs once that its %s is frozen (the %s), with what to do, and once that it answers again',
  (role, name, pid, effect) => {
    const { lines, look } = openWatch()
    look(0, [])
    for (const at of [10, 20, 30, 40]) look(at, [role])
    expect(lines).toEqual([
      `the ${name} does not answer: if this lasts, end it with \`kill -9 ${pid}\`, and \`start\` starts it again. ${effect}`,
    ])
    look(50, [])
    look(60, [])
    expect(lines.slice(1)).toEqual([`the ${name} answers again, after 40 s`])
  },
)

test('a process that misses one look, or is started again, is not called frozen', () => {
  const { lines, look } = openWatch()
  look(0, ['api'])
  look(10, [])
  look(20, ['api'])
  look(30, ['api'], { ...pids, api: 15 })
  look(40, [], { ...pids, api: 15 })
  expect(lines).toEqual([])
})

test('a process that has just been started is not called frozen before its first answer', () => {
  const { lines, watch } = openWatch()
  const push = { role: 'push', pid: 14, restarts: 0, values: undefined }
  for (const at of [0, 10, 20]) watch.look([{ ...push, isStarting: true }], at * SECOND)
  const paths = resolvePaths(createDataDir())
  expect(findReportedProblems([{ ...push, isStarting: true }], paths, 0)).toEqual([])
  expect(lines).toEqual([])
  for (const at of [70, 80]) watch.look([push], at * SECOND)
  const says = 'the push process does not answer: if this lasts, end it with `kill -9 14`'
  expect(findReportedProblems([push], paths, 0)[0]).toContain(says)
  expect(lines[0]).toContain(says)
})
