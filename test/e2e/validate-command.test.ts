import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { makeTemporaryFolder, runRegistry } from '../support/processes/command.ts'
import { runHere } from '../support/processes/command-here.ts'

const folder = makeTemporaryFolder()
afterAll(() => folder.remove())

const sound = {
  $schema: 'https://schemas.example/adagents.json',
  last_updated: '2026-11-01T00:00:00Z',
  authorized_agents: [],
  properties: [
    {
      property_type: 'website',
      name: 'Acme',
      identifiers: [{ type: 'domain', value: 'acme.example' }],
      publisher_domain: 'acme.example',
    },
  ],
}

function write(name: string, content: unknown): string {
  const path = join(folder.path, name)
  const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2)
  writeFileSync(path, text)
  return path
}

const good = write('good.json', sound)
const odd = write('odd.json', { ...sound, last_updated: undefined })
const unpinned = write('unpinned.json', {
  ...sound,
  authorized_agents: [
    {
      url: 'https://agent.example/mcp',
      authorized_for: 'All inventory',
      authorization_type: 'publisher_properties',
      publisher_properties: [{ publisher_domain: 'acme.example', selection_type: 'all' }],
    },
  ],
})
const bad = write('adagents-bad.json', '{\n  "authorized_agents": [\n    1\n  ]\n}')
const brand = write('brand.json', { id: 'acme', names: [{ en: 'Acme' }] })
const run = (...args: string[]) => runHere(['validate', ...args], {})

describe('registry validate', () => {
  test.each<[string, string[], number]>([
    ['a sound file', [good], 0],
    ['a warning', [odd], 0],
    ['a warning that must not be', [odd, '--strict'], 2],
    ['a recommendation, even in a strict check,', [unpinned, '--strict'], 0],
    ['an error', [bad], 2],
    ['one error in several files', [good, bad, brand], 2],
    ['a file that is not there', [join(folder.path, 'nowhere.json')], 1],
    ['a brand', [brand, '--domain', 'acme.example'], 0],
  ])('%s ends with its status', async (_, args, status) => {
    expect(await run(...args)).toMatchObject({ status })
  })

  test('reports the other files where one is not there', async () => {
    const nowhere = join(folder.path, 'nowhere.json')
    const { status, stdout, stderr } = await runRegistry(['validate', nowhere, bad], {})
    expect([status, stdout]).toEqual([1, expect.stringContaining(`${bad}: adagents.json, 1 error`)])
    expect(stderr).toContain(`${nowhere} cannot be read: it does not exist`)
  })

  test('names the file, the line and the column of each fault', async () => {
    const { stdout } = await run(bad)
    expect(stdout).toContain(
      `${bad}:3:5: error: authorized_agents[0] must be an object, not 1. Fix: write an object`,
    )
    expect(stdout).toContain(`${bad}: adagents.json, 1 error, 2 warnings`)
  })

  test('tells recommendations from warnings', async () => {
    const { stdout } = await run(unpinned, '--domain', 'acme.example')
    expect(stdout).toMatch(/: recommendation: authorized_agents\[0\]\.signing_keys is missing/)
    expect(stdout).toContain('adagents.json, 0 errors, 0 warnings, 1 recommendation')
    const annotated = await run(unpinned, '--format', 'github')
    expect(annotated.stdout).toMatch(/^::notice .*signing_keys is missing/m)
  })

  test('as JSON it says the same', async () => {
    const [report] = JSON.parse((await run(bad, '--format', 'json')).stdout)
    expect(report).toMatchObject({
      file: bad,
      valid: false,
      errors: [{ code: 'wrong_type', line: 3, column: 5 }],
    })
  })

  test('reads the standard input', () => {
    const check = (input: string) =>
      spawnSync(process.execPath, ['dist/scripts/registry.js', 'validate', '-'], {
        input,
        encoding: 'utf8',
      })
    expect(check(JSON.stringify(sound)).status).toBe(0)
    const { status, stdout } = check('{')
    expect([status, stdout]).toEqual([2, expect.stringContaining('<stdin>:1:2: error')])
  })
})
