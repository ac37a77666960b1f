import { expect, test } from 'vitest'
import { SECOND } from '../../../pipeline/core/clock.ts'
import { RoleWatch } from '../../../scripts/commands/role-watch.ts'

const pids = { indexer: 11, api: 12, crawler: 13 }

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
  return { lines, look }
}

test.each([
  ['indexer', 11, 'Reads go on; saves and crawls wait.'],
  ['api', 12, 'Requests to it get no response.'],
  ['crawler', 13, 'Reads and saves go on; crawls wait.'],
])(
  'a start logs once that its %s is frozen, with what to do, and once that it answers again',
  (role, pid, effect) => {
    const { lines, look } = openWatch()
    look(0, [])
    for (const at of [10, 20, 30, 40]) look(at, [role])
    expect(lines).toEqual([
      `the ${role} does not answer: if this lasts, end it with \`kill -9 ${pid}\`, and \`start\` starts it again. ${effect}`,
    ])
    look(50, [])
    look(60, [])
    expect(lines.slice(1)).toEqual([`the ${role} answers again, after 40 s`])
  },
)

test('a process that misses one look, or is started again, is not called frozen', () => {
  const { lines, look } = openWatch()
  look(0, ['api'])
  look(10, [])
  look(20, ['api'])
  look(30, ['api'], { ...pids, api: 14 })
  look(40, [], { ...pids, api: 14 })
  expect(lines).toEqual([])
})
