import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test, vi } from 'vitest'
import { formatBuild } from '../../../../pipeline/core/version.ts'
import { makeTemporaryFolder } from '../../../support/processes/command.ts'

const source = join(import.meta.dirname, '../../../../scripts/setup/commit.mjs')
const { noteCommit } = await import(pathToFileURL(source).href)
const folder = makeTemporaryFolder()
afterAll(() => folder.remove())
const checkout = join(folder.path, 'checkout')
const dist = join(checkout, 'dist')
mkdirSync(dist, { recursive: true })

/** Reads which commit a build says it is of; undefined where it says none. */
function readNoted(): string | undefined {
  noteCommit(dist, checkout)
  const file = join(dist, 'commit')
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

function runGit(...args: string[]): string {
  const names = [
    '-c',
    'user.name=A',
    '-c',
    'user.email=a@acme.example',
    '-c',
    'commit.gpgsign=false',
  ]
  return execFileSync('git', [...names, ...args], { cwd: checkout, encoding: 'utf8' }).trim()
}

test('a build names its commit, and whether the files of the checkout differed from it', () => {
  expect(readNoted()).toBeUndefined()
  vi.stubEnv('COMMIT', 'abc1234')
  expect(readNoted()).toBe('abc1234')
  runGit('init', '--quiet')
  expect(readNoted()).toBeUndefined()
  writeFileSync(join(checkout, 'source'), 'one')
  runGit('add', 'source')
  runGit('commit', '--quiet', '--message', 'one')
  runGit('tag', '--annotate', 'v1.0.0', '--message', 'a release')
  const first = runGit('rev-parse', '--short=7', 'HEAD')
  expect(readNoted()).toBe(first)
  writeFileSync(join(checkout, 'source'), 'two')
  expect(readNoted()).toBe(`${first}-modified`)
  runGit('commit', '--quiet', '--all', '--message', 'two')
  expect(readNoted()).toBe(runGit('rev-parse', '--short=7', 'HEAD'))
  vi.unstubAllEnvs()
})

test('the commit follows the version where it is known', () => {
  expect(formatBuild({ version: '1.2.3', commit: 'abc1234' })).toBe('1.2.3 (abc1234)')
  expect(formatBuild({ version: '1.2.3', commit: '' })).toBe('1.2.3')
})
