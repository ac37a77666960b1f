import { afterAll, describe, expect, test } from 'vitest'
import { makeTemporaryFolder, runRegistry } from '../support/processes/command.ts'
import { runHere } from '../support/processes/command-here.ts'

const folder = makeTemporaryFolder()
const env = { DATA_DIR: folder.path, REDIS_URL: undefined, LOG_LEVEL: 'error' }
const run = (...args: string[]) => runHere(args, env)
const acme = ['--org', 'Acme']
const url = 'https://agent.acme.example/mcp'

afterAll(() => folder.remove())

describe('registry member', () => {
  test('creates members, enrols agents, and refuses invalid input with a reason', async () => {
    await run('org', 'create', '--name', 'Acme')
    expect(await run('member', 'create', '--org', 'Nobody')).toMatchObject({
      status: 1,
      stderr: 'There is no organization called Nobody.\n',
    })
    const created = await run(
      ...['member', 'create', ...acme, '--tier', 'company_leader', '--founding', '--public'],
    )
    expect(created).toEqual({ status: 0, stdout: 'acme\n', stderr: '' })
    expect((await run('member', 'set', ...acme, '--display-name', 'Acme Inc')).stdout).toBe(
      'acme\n',
    )
    expect((await run('member', 'set', ...acme, '--tier', 'gold')).stderr).toContain('company_icl')
    expect((await run('org', 'domain', 'add', 'Acme.example', ...acme)).stdout).toBe(
      'acme.example now belongs to Acme.\n',
    )

    const add = (...more: string[]) => run('member', 'agent', 'add', url, ...acme, ...more)
    expect((await add()).stderr).toBe('A new agent requires a type.\n')
    expect((await add('--type', 'sales', '--visibility', 'public')).stdout).toBe(
      `${url} is public\n`,
    )
    expect((await run('member', 'agent', 'add', 'acme', ...acme)).stderr).toBe(
      '`url` must be an agent URL such as https://agent.example/mcp.\n',
    )
    expect((await run('member', 'agent', 'remove', url, ...acme)).stderr).toBe(
      `${url} is public: hide it first.\n`,
    )
    expect((await run('member', 'list')).stdout).toBe(
      'MEMBER  ORGANIZATION  TIER            PROFILE  FOUNDING  DOMAINS\n' +
        'acme    Acme          company_leader  public   yes       acme.example\n\n' +
        'MEMBER  VISIBLE TO  TYPE   AGENT\n' +
        `acme    public      sales  ${url}\n`,
    )
    expect(await runRegistry(['verify'], env)).toMatchObject({ status: 0 })

    const lost = await run(
      'member',
      'set',
      ...acme,
      '--tier',
      'none',
      '--no-public',
      '--display-name',
      'Acme Inc',
    )
    expect(lost.stderr).toBe('1 public agent is now visible to members only.\n')
    expect((await add('--visibility', 'public')).stdout).toBe(`${url} is members_only\n`)
    expect((await run('member', 'agent', 'remove', url, ...acme)).stdout).toBe(
      `Removed ${url} from Acme.\n`,
    )
    expect(JSON.parse((await run('member', 'list', '--json')).stdout)).toMatchObject([
      {
        slug: 'acme',
        display_name: 'Acme Inc',
        org_name: 'Acme',
        membership_tier: null,
        is_founding: true,
        is_public: false,
        agents: [],
        domains: ['acme.example'],
      },
    ])
    expect(await run('verify')).toMatchObject({ status: 0 })
  })
})

test('a tier that billing writes is set by a command only with --force', async () => {
  const own = makeTemporaryFolder()
  const billed = { ...env, DATA_DIR: own.path, BILLING_WEBHOOK_SECRET: 'x'.repeat(16) }
  const runBilled = (...args: string[]) => runHere(args, billed)
  await runBilled('org', 'create', '--name', 'Acme')
  const create = ['member', 'create', ...acme, '--tier', 'company_leader']
  const refused = await runBilled(...create)
  expect(refused).toMatchObject({ status: 1, stdout: '' })
  expect(refused.stderr).toContain('Billing sets the tiers')
  expect((await runBilled('member', 'list')).stdout).toBe('There are no members.\n')
  expect(await runBilled(...create, '--force')).toMatchObject({ status: 0, stdout: 'acme\n' })
  const changed = await runBilled('member', 'set', ...acme, '--tier', 'none')
  expect(changed.status).toBe(1)
  expect((await runBilled('member', 'set', ...acme, '--public')).status).toBe(0)
  expect((await runBilled('member', 'list')).stdout).toContain('company_leader')
  const help = (await runBilled('member', 'create', '--help')).stdout.replaceAll(/\s+/g, ' ')
  expect(help).toContain('if BILLING_WEBHOOK_SECRET is set, billing sets it')
  own.remove()
})
