import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { validateAction, validateWorkflow } from '@action-validator/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeTemporaryFolder } from '../../support/processes/command.ts'

const root = join(import.meta.dirname, '../../..')
const script = join(root, 'scripts/release.mjs')
const { releaseChanges, findNotes } = await import(pathToFileURL(script).href)

const changelog = '# Changelog\n\n## [Unreleased]\n\n- New.\n\n## [1.9.0] - 2026-01-01\n\n- Old.\n'

describe('the changelog', () => {
  test('what is unreleased becomes the version of that day', () => {
    const released = releaseChanges(changelog, '1.10.0', '2026-02-01')
    expect(released).toContain(
      '## [Unreleased]\n\n## [1.10.0] - 2026-02-01\n\n- New.\n\n## [1.9.0]',
    )
    expect([findNotes(released, '1.10.0'), findNotes(released, '1.9.0')]).toEqual([
      '- New.',
      '- Old.',
    ])
    expect(findNotes(released, '1.8.0')).toBeUndefined()
  })

  test.each(['1.9.0', '1.8.9', '0.10.0', 'v2.0.0', '2.0', ''])(
    '%j is refused as a version',
    version => {
      expect(() => releaseChanges(changelog, version, '2026-02-01')).toThrow(/no newer|no version/)
    },
  )

  test('nothing unreleased is no release', () => {
    const released = releaseChanges(changelog, '1.10.0', '2026-02-01')
    expect(() => releaseChanges(released, '1.11.0', '2026-02-02')).toThrow('nothing unreleased')
  })

  test('this changelog has the version of package.json', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect(findNotes(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version)).toMatch(/\w/)
  })
})

describe('a release', () => {
  const folder = makeTemporaryFolder()
  const checkout = join(folder.path, 'checkout')
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { cwd: checkout, encoding: 'utf8', stdio: 'pipe' })
  const release = (...args: string[]) =>
    spawnSync(process.execPath, [script, ...args], { cwd: checkout, encoding: 'utf8' })
  const makeKey = (name: string) => {
    const file = join(folder.path, name)
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file])
    return file
  }

  beforeAll(() => {
    mkdirSync(join(checkout, '.github'), { recursive: true })
    run('git', 'init', '--quiet')
    run('git', 'config', 'user.name', 'Registry')
    run('git', 'config', 'user.email', 'releases@registry.example')
    run('git', 'config', 'commit.gpgsign', 'false')
    for (const file of ['package.json', 'package-lock.json'])
      cpSync(join(root, file), join(checkout, file))
    writeFileSync(join(checkout, 'CHANGELOG.md'), changelog)
    expect(release('prepare', '1.10.0')).toMatchObject({ status: 0 })
    const signer = `releases@registry.example namespaces="git" ${readFileSync(`${makeKey('ours')}.pub`, 'utf8')}`
    writeFileSync(join(checkout, '.github/allowed_signers'), signer)
    run('git', 'add', '--all')
    run('git', 'commit', '--quiet', '-m', 'release 1.10.0')
  })
  afterAll(() => folder.remove())

  test('names its version in package.json and the lock', () => {
    for (const file of ['package.json', 'package-lock.json']) {
      expect(JSON.parse(readFileSync(join(checkout, file), 'utf8')).version).toBe('1.10.0')
    }
    expect(release('notes').stdout).toBe('- New.\n')
  })

  test('is refused with a key that may not sign, and leaves no tag', () => {
    const { status, stderr } = release('tag', makeKey('theirs'))
    expect([status, stderr]).toEqual([1, expect.stringContaining('No principal matched')])
    expect(run('git', 'tag')).toBe('')
  })

  test('has a signed tag with its notes, which anybody can verify', () => {
    expect(release('tag', join(folder.path, 'ours'))).toMatchObject({ status: 0 })
    expect(run('git', 'tag', '--list', '--format=%(contents)')).toContain('v1.10.0\n\n- New.')
    const allowed = 'gpg.ssh.allowedSignersFile=.github/allowed_signers'
    expect(run('git', '-c', allowed, 'verify-tag', 'v1.10.0')).toBe('')
    expect(release('tag', join(folder.path, 'ours')).status).toBe(1)
  })
})

describe('GitHub accepts', () => {
  const workflows = join(root, '.github/workflows')
  test.each(readdirSync(workflows))('the workflow %s', name => {
    expect(validateWorkflow(readFileSync(join(workflows, name), 'utf8')).errors).toEqual([])
  })

  test('the action, and the validator refuses what is wrong', () => {
    const action = readFileSync(join(root, 'action.yml'), 'utf8')
    expect(validateAction(action).errors).toEqual([])
    expect(validateAction(action.replace('composite', 'compsite')).errors).not.toEqual([])
  })
})
