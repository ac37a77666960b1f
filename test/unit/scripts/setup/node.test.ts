import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { makeTemporaryFolder } from '../../../support/processes/command.ts'

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

test('a Node of npm’s that an install has removed while it ran is fetched again', () => {
  const folder = makeTemporaryFolder()
  const place = `node_modules/.node/node_modules/node-${process.platform}-${process.arch}/bin`
  const own = join(folder.path, place, 'node')
  mkdirSync(join(folder.path, place), { recursive: true })
  cpSync(process.execPath, own)
  cpSync(join(root, 'scripts/setup'), join(folder.path, 'scripts/setup'), { recursive: true })
  writeFileSync(join(folder.path, 'package.json'), JSON.stringify({ engines }))
  // Stands for npm, whose package of Node has 100 MB.
  const npm = join(folder.path, 'npm')
  writeFileSync(npm, `#!/bin/sh\nmkdir -p ${place}\ncp ${process.execPath} ${place}/node\n`)
  chmodSync(npm, 0o755)
  const program = `
    const { rmSync } = await import('node:fs')
    const { requireNode } = await import('./scripts/setup/node.mjs')
    rmSync('node_modules', { recursive: true })
    console.log(requireNode())`
  const env = { ...process.env, PATH: `${folder.path}:${process.env.PATH}` }
  const options = { cwd: folder.path, env, encoding: 'utf8', stdio: 'pipe' } as const
  const node = execFileSync(own, ['--input-type=module', '--eval', program], options).trim()
  expect(execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()).toBe(process.version)
  folder.remove()
})
