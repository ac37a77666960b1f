import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fillGuide, guideNames, guidesFolder } from '../support/checks/guides.ts'
import { type Demo, startDemo } from '../support/processes/demo.ts'

const hasJq = spawnSync('jq', ['--version']).status === 0
let demo: Demo

beforeAll(async () => {
  demo = await startDemo('Readers')
})

afterAll(() => demo?.close())

test('there is a guide for each kind of user', () => {
  const kinds = ['agent-operator', 'analyst', 'buyer', 'publisher', 'registry-operator']
  expect([...guideNames].sort()).toEqual(kinds)
})

describe.skipIf(!hasJq).each(guideNames)('docs/guides/%s.md', name => {
  const path = join(guidesFolder, `${name}.md`)
  const guide = readFileSync(path, 'utf8')

  test('shows the real answers to its calls, in their order', () => {
    const { base, dataDir } = demo
    const filled = fillGuide(guide, { base, dataDir, organization: `Acme-${name}` })
    if (process.env.UPDATE_GUIDES === '1') writeFileSync(path, filled)
    else expect(filled).toBe(guide)
  })

  test('can be followed a second time', () => {
    const { base, dataDir } = demo
    const again = fillGuide(guide, { base, dataDir, organization: `Acme-${name}` })
    expect(again).toContain('```sh')
  })
})
