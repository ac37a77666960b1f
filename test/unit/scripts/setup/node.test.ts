import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../../..')
const { isAtLeast } = await import(pathToFileURL(join(root, 'scripts/setup/node.mjs')).href)
const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

test.each([
  ['24.13.1', true],
  ['24.13.2', true],
  ['24.21.0', true],
  ['26.0.0', true],
  ['24.13.0', false],
  ['24.9.9', false],
  ['20.20.2', false],
  ['0', false],
])('Node %s may run a registry that wants 24.13.1: %s', (version, expected) => {
  expect(isAtLeast(version, '24.13.1')).toBe(expected)
})

test('the tests, and what npm and npx start, run with a Node that is new enough', () => {
  const wanted = engines.node.replace('>=', '')
  expect(isAtLeast(process.versions.node, wanted)).toBe(true)
  const link = join(root, 'node_modules/.bin/node')
  const version = execFileSync(link, ['-p', 'process.versions.node'], { encoding: 'utf8' })
  expect(isAtLeast(version.trim(), wanted)).toBe(true)
})
