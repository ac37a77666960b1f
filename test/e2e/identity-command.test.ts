import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Command, makeTemporaryFolder, runRegistry } from '../support/processes/command.ts'

const folder = makeTemporaryFolder()
const env = { DATA_DIR: folder.path, REDIS_URL: undefined, LOG_LEVEL: 'error' }
const run = (...args: string[]) => runRegistry(args, env)
const acme = ['--org', 'Acme']

afterAll(() => folder.remove())

describe('registry org user', () => {
  test('adds and removes members of an organization, and refuses invalid input with a reason', async () => {
    await run('org', 'create', '--name', 'Acme')
    expect((await run('org', 'user', 'add', 'user_1', ...acme, '--role', 'owner')).stdout).toBe(
      'user_1 now has the role owner in Acme.\n',
    )
    expect(await run('org', 'user', 'add', 'ann@acme.example', ...acme)).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^ann@acme\.example counts as the subject of a token\. /),
    })
    expect((await run('org', 'user', 'add', 'user 2', ...acme)).stderr).toContain(
      'not a valid token subject',
    )
    expect((await run('org', 'user', 'add', 'user_1', '--org', 'Nobody')).stderr).toBe(
      'There is no organization called Nobody.\n',
    )
    expect((await run('org', 'user', 'remove', 'user_1', ...acme)).stdout).toBe(
      'user_1 no longer belongs to Acme.\n',
    )
    expect((await run('org', 'user', 'remove', 'user_1', ...acme)).stderr).toBe(
      'user_1 does not belong to Acme.\n',
    )
    expect((await run('key', 'create', ...acme, '--admin')).stdout).toMatch(/^sk_/)
    expect((await run('key', 'create', ...acme, '--read-only')).stdout).toMatch(/^sk_/)
    expect((await run('key', 'create', ...acme, '--read-only', '--admin')).stderr).toContain(
      'cannot be used with',
    )
    expect(existsSync(`${folder.path}/record/record.sqlite`)).toBe(true)
    expect(await run('verify')).toMatchObject({ status: 0 })
  })
})

describe('registry key', () => {
  const create = async () => (await run('key', 'create', ...acme)).stdout.trim()
  const list = async () => (await run('key', 'list')).stdout
  beforeAll(async () => {
    await run('org', 'create', '--name', 'Acme', '--if-missing')
  })

  test('lists the keys of all organizations, with their first characters and owners', async () => {
    const secret = await create()
    const start = secret.slice(0, 7)
    expect(await list()).toMatch(
      new RegExp(`^[-0-9a-f]{36}  ${start}…  created \\S+ by \\S+  Acme  $`, 'm'),
    )
  })

  test('revokes a leaked key by its secret, without its organization', async () => {
    const [typed, piped] = [await create(), await create()]
    const done = /^Revoked the key [-0-9a-f]{36} of Acme\.\n$/
    expect((await run('key', 'revoke', typed)).stdout).toMatch(done)
    const revoke = new Command(['key', 'revoke', '-'], env)
    revoke.child.stdin?.end(`${piped}\n`)
    expect((await revoke.finish()).stdout).toMatch(done)
    const left = await list()
    for (const secret of [typed, piped]) expect(left).not.toContain(secret.slice(0, 7))
    expect((await run('key', 'revoke', piped)).stderr).toBe(
      'There is no active key with this secret.\n',
    )
  })
})
