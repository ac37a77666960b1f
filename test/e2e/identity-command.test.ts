import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Command, makeTemporaryFolder, runRegistry } from '../support/processes/command.ts'
import { runHere } from '../support/processes/command-here.ts'

const folder = makeTemporaryFolder()
const env = { DATA_DIR: folder.path, REDIS_URL: undefined, LOG_LEVEL: 'error' }
const run = (...args: string[]) => runHere(args, env)
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
    expect(await runRegistry(['verify'], env)).toMatchObject({ status: 0 })
  })
})

describe('registry org list and org user list', () => {
  const newco = ['--org', 'Newco']

  test('show who may act for each organization', async () => {
    await run('org', 'create', '--name', 'Newco')
    expect((await run('org', 'user', 'list', ...newco)).stdout).toBe('Newco has no people.\n')
    await run('org', 'user', 'add', 'user_1', ...newco, '--role', 'owner')
    await run('org', 'user', 'add', 'user_2', ...newco)
    await run('org', 'user', 'remove', 'user_2', ...newco)
    await run('org', 'domain', 'add', 'newco.example', ...newco)
    await run('key', 'create', ...newco)
    const { stdout } = await run('org', 'list')
    expect(stdout).toMatch(/^ID +NAME +PEOPLE +KEYS +DOMAINS\n/)
    expect(stdout).toMatch(/^[-0-9a-f]{36} +Newco +1 +1 +newco\.example$/m)
    const listed = JSON.parse((await run('org', 'list', '--json')).stdout)
    expect(listed).toContainEqual({
      org_id: expect.any(String),
      name: 'Newco',
      people: 1,
      keys: 1,
      domains: ['newco.example'],
    })
    expect((await run('org', 'user', 'list', ...newco)).stdout).toMatch(
      /^ID +PERSON +ROLE +SINCE\nuser_1 +owner +[-0-9]+ [0-9:]+ UTC\n$/,
    )
    const people = JSON.parse((await run('org', 'user', 'list', ...newco, '--json')).stdout)
    expect(people).toMatchObject([{ user_id: 'user_1', role: 'owner' }])
    expect((await run('org', 'user', 'list', '--org', 'Nobody')).stderr).toBe(
      'There is no organization called Nobody.\n',
    )
  })
})

test('registry org delete names who loses access, and deletes nothing until the name is repeated', async () => {
  const oldco = ['--org', 'Old Co']
  const remove = (...args: string[]) => run('org', 'delete', ...oldco, ...args)
  await run('org', 'create', '--name', 'Old Co')
  await run('org', 'user', 'add', 'user_1', ...oldco, '--role', 'owner')
  await run('key', 'create', ...oldco)
  const lost = /^These lose access to Old Co:\n {2}user_1 \(owner\)\n {2}key [-0-9a-f]{36}\n/
  const asked = await remove()
  expect([asked.status, asked.stdout, asked.stderr]).toEqual([1, '', expect.stringMatching(lost)])
  expect(asked.stderr).toContain(
    "Nothing was deleted. Deleted data cannot be restored: to go on, add --confirm 'Old Co'.\n",
  )
  expect((await remove('--confirm', 'Newco')).stderr).toContain(
    'Nothing was deleted: “Newco” is not Old Co.\n',
  )
  await run('org', 'domain', 'add', 'old.example', ...oldco)
  expect(await remove('--confirm', 'Old Co')).toEqual({
    status: 1,
    stdout: '',
    stderr: 'Remove these first: 1 domain (old.example).\n',
  })
  await run('org', 'domain', 'remove', 'old.example', ...oldco)
  expect(await remove('--confirm', 'Old Co')).toMatchObject({
    status: 0,
    stdout: 'Deleted the organization Old Co.\n',
    stderr: expect.stringMatching(lost),
  })
  expect((await run('org', 'list')).stdout).not.toContain('Old Co')
})

describe('registry key', () => {
  const create = async () => (await run('key', 'create', ...acme)).stdout.trim()
  const list = async () => (await run('key', 'list')).stdout
  beforeAll(async () => {
    await run('org', 'create', '--name', 'Acme', '--if-missing')
  })

  test('lists the keys of all organizations, with their first characters, owners and access', async () => {
    const cases: [access: string, options: string[]][] = [
      ['standard', []],
      ['read-only', ['--read-only']],
      ['admin', ['--admin', '--label', 'deploys']],
    ]
    for (const [access, options] of cases) {
      const secret = (await run('key', 'create', ...acme, ...options)).stdout.trim()
      expect(await list()).toMatch(
        new RegExp(
          `^[-0-9a-f]{36}  ${secret.slice(0, 7)}…\\s+Acme\\s+${access}\\s+[-0-9]+ [0-9:]+ UTC  \\S+.*${options[2] ?? ''}$`,
          'm',
        ),
      )
    }
    expect(await list()).toMatch(/^ID +KEY +ORGANIZATION +ACCESS +CREATED +BY +LABEL\n/)
    const listed = JSON.parse((await run('key', 'list', ...acme, '--json')).stdout)
    expect(listed.at(-1)).toMatchObject({
      org_name: 'Acme',
      label: 'deploys',
      permissions: ['admin:*'],
    })
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
