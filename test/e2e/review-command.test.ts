import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { ccpa } from '../support/fixtures/policies.ts'
import { makeTemporaryFolder, runRegistry } from '../support/processes/command.ts'
import { runHere } from '../support/processes/command-here.ts'

const folder = makeTemporaryFolder()
const env = { DATA_DIR: folder.path, REDIS_URL: undefined, LOG_LEVEL: 'error' }
const run = (...args: string[]) => runHere(args, env)

afterAll(() => folder.remove())

describe('registry role', () => {
  test('grants roles to keys and people, and revokes them', async () => {
    await run('org', 'create', '--name', 'Acme')
    await run('key', 'create', '--org', 'Acme')
    const [{ key_id: id }] = JSON.parse((await run('key', 'list', '--json')).stdout)
    expect(await run('role', 'grant', 'moderator', '--key', id)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Granted the role \w+\.\n$/),
    })
    expect(await run('role', 'grant', 'admin', '--user', 'ada|1')).toEqual({
      status: 0,
      stdout: 'Granted the role admin.\n',
      stderr:
        'Nobody known here has the ID ada|1: check it. They have the role once they sign in.\n',
    })
    await run('org', 'user', 'add', 'ada|1', '--org', 'Acme')
    expect((await run('role', 'grant', 'admin', '--user', 'ada|1')).stderr).toBe('')
    expect(await run('role', 'grant', 'moderator', '--user', 'ann@acme.example')).toMatchObject({
      status: 0,
      stdout: 'Granted the role moderator.\n',
      stderr: expect.stringMatching(/^ann@acme\.example counts as the subject of a token\. /),
    })
    expect((await run('role', 'list')).stdout).not.toContain('@')
    expect(await run('role', 'revoke', 'moderator', '--user', 'Ann@acme.example')).toMatchObject({
      status: 0,
    })
    expect((await run('role', 'grant', 'admin')).stderr).toBe('Give either --key or --user.\n')
    expect((await run('role', 'grant', 'king', '--key', id)).status).toBe(1)
    expect((await run('role', 'revoke', 'admin', '--key', id)).stderr).toBe(
      `Key ${id} does not have the role admin.\n`,
    )
    const listed = JSON.parse((await run('role', 'list', '--json')).stdout)
    expect(listed).toHaveLength(2)
    expect(listed).toEqual(
      expect.arrayContaining([
        { holder: 'key', id, roles: ['moderator'] },
        { holder: 'user', id: 'ada|1', roles: ['admin'] },
      ]),
    )
    expect((await run('role', 'revoke', 'moderator', '--key', id)).stdout).toBe(
      'Revoked the role moderator.\n',
    )
    expect((await run('role', 'list')).stdout).toBe('HOLDER  ID     ROLES\nuser    ada|1  admin\n')
  })
})

describe('registry policy and review', () => {
  test('publish the registry’s own policies, and report that nothing waits', async () => {
    const file = join(folder.path, 'policies.json')
    writeFileSync(file, JSON.stringify([ccpa]))
    expect((await run('policy', 'publish', file)).stdout).toBe('ccpa 1\n')
    expect((await run('policy', 'publish', file)).stdout).toBe('ccpa 2\n')
    writeFileSync(file, JSON.stringify({ ...ccpa, category: 'law' }))
    const refused = await run('policy', 'publish', file)
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('category')])
    expect((await run('review', 'list')).stdout).toBe('There is nothing to review.\n')
    expect(JSON.parse((await run('review', 'list', '--status', 'all', '--json')).stdout)).toEqual(
      [],
    )
    const id = '01939f00-0000-7000-8000-000000000000'
    expect((await run('review', 'show', id)).stderr).toBe(`There is no review ${id}.\n`)
    expect((await run('review', 'approve', id)).status).toBe(1)
    expect((await run('review', 'reject', id)).stderr).toContain('--notes')
    expect(await runRegistry(['verify'], env)).toMatchObject({ status: 0 })
  })
})
