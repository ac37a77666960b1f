import { existsSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { makeTemporaryFolder, runRegistry } from '../support/processes/command.ts'

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
    expect(existsSync(`${folder.path}/record/record.sqlite`)).toBe(true)
    expect(await run('verify')).toMatchObject({ status: 0 })
  })
})
