import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

/** Runs a program that ends by itself, and returns what it says. */
function run(program: string) {
  const url = new URL('../../../pipeline/crawl/deadline.ts', import.meta.url).href
  const code = `import { pauseUnless, waitUnless } from '${url}'\n${program}`
  const args = ['--input-type=module', '-e', code]
  const { status, stdout } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    timeout: 60_000,
  })
  return { status, stdout }
}

test('a pause that is broken off holds no process back', () => {
  const program = `
    const leaving = new AbortController()
    const paused = pauseUnless(leaving.signal, 600_000)
    leaving.abort()
    await paused
    await pauseUnless(leaving.signal, 600_000)
    process.stdout.write('over')`
  expect(run(program)).toEqual({ status: 0, stdout: 'over' })
})

test('work that fails after nobody waits for it ends no process', () => {
  const program = `
    const late = ms => new Promise((_, fail) => setTimeout(fail, ms, new Error('late')))
    process.stdout.write(await waitUnless(AbortSignal.abort(), late(1), 'over '))
    process.stdout.write(await waitUnless(AbortSignal.timeout(10), late(100), 'over '))
    setTimeout(() => process.stdout.write('and alive'), 300)`
  expect(run(program)).toEqual({ status: 0, stdout: 'over over and alive' })
})
