import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTenure, noteRestored, writeTenure } from '../../jobs/fleet/tenure.ts'
import { resolvePaths } from '../../pipeline/store/paths.ts'
import { ccpa } from '../support/fixtures/policies.ts'
import {
  Command,
  type Environment,
  type Finished,
  makeTemporaryFolder,
} from '../support/processes/command.ts'
import { runHere } from '../support/processes/command-here.ts'
import { type Origin, serveOrigin } from '../support/servers/origin.ts'

const folder = makeTemporaryFolder()
const id = '01939f00-0000-7000-8000-000000000000'
const other = '01939f00-0000-7000-8000-000000000001'
const env = { DATA_DIR: join(folder.path, 'data'), REDIS_URL: undefined, LOG_LEVEL: 'error' }
let origin: Origin

/** Runs a command in a process of its own, with this standard input and these settings. */
function runAlone(args: readonly string[], input = '', more: Environment = {}): Promise<Finished> {
  const command = new Command([...args], { ...env, ...more })
  command.child.stdin?.on('error', () => undefined).end(input)
  return command.finish()
}

/** Runs a command that neither reads standard input nor serves. */
const run = (args: readonly string[], more: Environment = {}) => runHere(args, { ...env, ...more })

beforeAll(async () => {
  origin = await serveOrigin((_, response) => void response.writeHead(404).end())
  mkdirSync(env.DATA_DIR)
  expect(await run(['org', 'create', '--name', 'Acme'])).toEqual({
    status: 0,
    stdout: expect.stringMatching(/^[0-9a-f-]{36}\n$/),
    stderr: `Created a new registry in ${env.DATA_DIR}, since there was none. If you meant another one, set DATA_DIR to its folder.\n`,
  })
})

afterAll(async () => {
  await origin.close()
  folder.remove()
})

const acme = ['--org', 'Acme']
const nope = ['--org', 'Nope']
const agent = 'https://a.example/mcp'

describe('an unknown id or name is refused in one line', () => {
  test.each<[command: string[], sentence: string]>([
    [['org', 'create', '--name', 'Acme'], 'An organization named Acme already exists.'],
    [['org', 'domain', 'add', 'a.example', ...nope], 'There is no organization called Nope.'],
    [['org', 'domain', 'remove', 'a.example', ...nope], 'There is no organization called Nope.'],
    [['org', 'domain', 'remove', 'a.example', ...acme], 'Acme has not verified a.example.'],
    [
      ['org', 'user', 'add', 'ada', ...nope, '--role', 'member'],
      'There is no organization called Nope.',
    ],
    [['org', 'user', 'remove', 'ada', ...nope], 'There is no organization called Nope.'],
    [['org', 'user', 'remove', 'ada', ...acme], 'ada does not belong to Acme.'],
    [['member', 'create', ...nope], 'There is no organization called Nope.'],
    [['member', 'set', ...nope], 'There is no organization called Nope.'],
    [['member', 'set', ...acme], 'Acme is not a member.'],
    [['member', 'agent', 'add', agent, ...nope], 'There is no organization called Nope.'],
    [['member', 'agent', 'add', agent, ...acme], 'Acme is not a member.'],
    [['member', 'agent', 'remove', agent, ...acme], 'Acme is not a member.'],
    [['key', 'create', ...nope], 'There is no organization called Nope.'],
    [['key', 'list', ...nope], 'There is no organization called Nope.'],
    [['key', 'revoke', id, ...nope], 'There is no organization called Nope.'],
    [['key', 'revoke', id, ...acme], `Acme has no active key ${id}.`],
    [['key', 'revoke', id], `There is no active key ${id}.`],
    [['key', 'revoke', 'sk_unknown'], 'There is no active key with this secret.'],
    [['role', 'grant', 'moderator', '--key', id], `There is no active key ${id}.`],
    [
      ['role', 'revoke', 'moderator', '--user', 'ada'],
      'User ada does not have the role moderator.',
    ],
    [['review', 'show', id], `There is no review ${id}.`],
    [['review', 'approve', id], `There is no review ${id}.`],
    [['review', 'reject', id, '--notes', 'no'], `There is no review ${id}.`],
    [['held', 'release', 'a.example'], 'No removals are held back for a.example.'],
    [['held', 'drop', 'a.example'], 'No removals are held back for a.example.'],
    [['merge', 'property', id, other], `No property has the rid ${id}.`],
    [['audit', 'show', id], `There is no entry ${id} in the audit log.`],
    [['audit', 'revert', id], `There is no entry ${id} in the audit log.`],
    [['backup', '/dev/null'], '/dev/null already exists: name a new folder.'],
    [
      ['backup', '/dev/null/backup'],
      'The folder for the backup is /dev/null, and nothing can be written there because a part of the path is a file. Choose another folder.',
    ],
    [
      ['backup', '/proc/registry/backup'],
      'The folder for the backup is /proc/registry, and nothing can be written there because the folder cannot be created. Choose another folder.',
    ],
    ...[env.DATA_DIR, join(env.DATA_DIR, 'backup')].map((place): [string[], string] => [
      ['backup', place],
      `${place} is in DATA_DIR (${env.DATA_DIR}) and would be lost with it: choose a folder elsewhere, ideally on another disk.`,
    ]),
    [['restore', folder.path], `${folder.path} is not a backup: it has no manifest.json.`],
    [['restore', '/nowhere'], 'There is no folder /nowhere.'],
    [['policy', 'publish', '/nowhere.json'], '/nowhere.json cannot be read: it does not exist.'],
    [['crawl', '--domains', '/nowhere.txt'], '/nowhere.txt cannot be read: it does not exist.'],
    [['crawl', '--domains', folder.path], `${folder.path} cannot be read: it is a folder.`],
  ])('registry %j', async (command, sentence) => {
    expect(await run(command)).toEqual({ status: 1, stdout: '', stderr: `${sentence}\n` })
  })

  test('and an organization that is there already is printed by its id', async () => {
    const created = ['org', 'create', '--name', 'Twice', '--if-missing']
    const first = await run(created)
    expect(first).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^[0-9a-f-]{36}\n$/),
      stderr: '',
    })
    expect(await run(created)).toEqual(first)
  })

  test('and changes nothing', async () => {
    expect(await run(['key', 'list', ...acme])).toEqual({
      status: 0,
      stdout: 'Acme has no active key.\n',
      stderr: '',
    })
    expect(await run(['audit', 'list', '--json'])).toMatchObject({ status: 0 })
    expect(await run(['verify'])).toMatchObject({ status: 0 })
  })
})

describe('with BACKUP_TO a write is left to the indexer, and creates no registry', () => {
  const standby = join(folder.path, 'standby')
  test.each<[string[]]>([
    [['org', 'create', '--name', 'Nova']],
    [['org', 'domain', 'add', 'a.example', ...acme]],
    [['takedown', 'a.example']],
    [['crawl', 'a.example']],
  ])('registry %j', async command => {
    const settings = { DATA_DIR: standby, BACKUP_TO: join(folder.path, 'backups') }
    expect(await run(command, settings)).toEqual({
      status: 1,
      stdout: '',
      stderr:
        'BACKUP_TO is set, and no indexer writes here: start it, or run this on the host that writes.\n',
    })
    expect(existsSync(standby)).toBe(false)
  })
})

test('a registry that ran with BACKUP_TO refuses writes while no indexer runs, until it is restored', async () => {
  const paths = resolvePaths(env.DATA_DIR)
  const command = ['org', 'create', '--name', 'Acme', '--if-missing']
  writeTenure(paths, createTenure(1))
  expect(await run(command)).toEqual({
    status: 1,
    stdout: '',
    stderr: `The registry in ${env.DATA_DIR} ran with BACKUP_TO, and no indexer writes here: start it, or run this on the host that writes. If it no longer has backups, delete ${paths.tenure}.\n`,
  })
  noteRestored(paths)
  expect(await run(command)).toMatchObject({ status: 0 })
  rmSync(paths.tenure)
})

describe('a DATA_DIR without a registry is an error, and stays unchanged', () => {
  const missing = join(folder.path, 'mistyped')
  test.each<[string[]]>([
    [['org', 'domain', 'add', 'a.example', ...acme]],
    [['org', 'domain', 'remove', 'a.example', ...acme]],
    [['org', 'user', 'add', 'ada', ...acme, '--role', 'member']],
    [['org', 'user', 'remove', 'ada', ...acme]],
    [['org', 'user', 'list', ...acme]],
    [['org', 'list']],
    [['member', 'create', ...acme]],
    [['member', 'set', ...acme]],
    [['member', 'agent', 'add', agent, ...acme]],
    [['member', 'agent', 'remove', agent, ...acme]],
    [['key', 'create', ...acme]],
    [['key', 'list', ...acme]],
    [['key', 'revoke', id, ...acme]],
    [['role', 'grant', 'moderator', '--key', id]],
    [['role', 'revoke', 'moderator', '--user', 'ada']],
    [['role', 'list']],
    [['review', 'list']],
    [['review', 'show', id]],
    [['review', 'approve', id]],
    [['held', 'list']],
    [['held', 'release', 'a.example']],
    [['held', 'drop', 'a.example']],
    [['merge', 'property', id, other]],
    [['takedown', 'a.example']],
    [['takedown', 'a.example', '--undo']],
    [['audit', 'list']],
    [['audit', 'show', id]],
    [['audit', 'revert', id]],
    [['stats']],
    [['verify']],
    [['rebuild']],
    [['migrate']],
    [['backup', join(folder.path, 'backup')]],
    [['org', 'create', '--name', 'Acme']],
    [['policy', 'publish', '-']],
    [['crawl', 'a.example']],
    [['member', 'list']],
    [['review', 'reject', id, '--notes', 'no']],
    [['status']],
    [['why', 'a.example']],
    [['failures']],
    [['top']],
    [['log', 'verify']],
  ])('registry %j', async command => {
    const isRead = command.includes('-')
    const place = { DATA_DIR: missing }
    const ran = isRead ? runAlone(command, JSON.stringify(ccpa), place) : run(command, place)
    expect(await ran).toEqual({
      status: 1,
      stdout: '',
      stderr: `There is no registry in ${missing}: is DATA_DIR right?\n`,
    })
    expect(existsSync(missing)).toBe(false)
  })

  test('and a folder of something else is none', async () => {
    const other = join(folder.path, 'other')
    mkdirSync(other)
    writeFileSync(join(other, 'notes.txt'), 'not ours')
    expect(await run(['org', 'create', '--name', 'Acme'], { DATA_DIR: other })).toMatchObject({
      status: 1,
      stderr: `There is no registry in ${other}: is DATA_DIR right?\n`,
    })
    const force = ['restore', join(folder.path, 'backup'), '--force']
    for (const command of [['start'], ['indexer'], ['follow', 'https://r.example'], force])
      expect(await runAlone(command, '', { DATA_DIR: other })).toMatchObject({
        status: 1,
        stderr: expect.stringContaining(
          `DATA_DIR is ${other}, which is not empty and holds no registry. Choose another folder.\n`,
        ),
      })
    expect(readdirSync(other)).toEqual(['notes.txt'])
  })

  test.each<[what: string, bytes: string, sentence: RegExp]>([
    ['nothing', '', /^There is no registry in .+: is DATA_DIR right\?\n/],
    ['something else', 'no database'.repeat(1_000), /record\/record\.sqlite.* cannot be read/],
  ])('and a record that holds %s is named in our words', async (what, bytes, sentence) => {
    const { dir, record } = resolvePaths(join(folder.path, `record of ${what}`))
    mkdirSync(dirname(record), { recursive: true })
    writeFileSync(record, bytes)
    for (const command of [['status'], ['migrate'], ['verify'], ['role', 'list']]) {
      const { status, stdout, stderr } = await run(command, { DATA_DIR: dir })
      expect([command, status, stdout + stderr]).toEqual([
        command,
        1,
        expect.stringMatching(sentence),
      ])
    }
  })

  test('and a replica is named as one', async () => {
    const replica = join(folder.path, 'replica')
    mkdirSync(replica)
    writeFileSync(resolvePaths(replica).replica, '{}')
    expect(await run(['verify'], { DATA_DIR: replica })).toEqual({
      status: 1,
      stdout: '',
      stderr: `${replica} holds a replica: run this in the folder of its registry.\n`,
    })
  })

  test('and a file as DATA_DIR is reported as one', async () => {
    const file = join(folder.path, 'file')
    writeFileSync(file, '')
    for (const command of [['org', 'create', '--name', 'Acme'], ['stats'], ['api'], ['start']]) {
      const { status, stderr } = await runAlone(command, '', { DATA_DIR: file })
      expect([command, status, stderr]).toEqual([
        command,
        1,
        expect.stringContaining(`DATA_DIR must be a folder; ${file} is a file.`),
      ])
    }
  })
})

describe('the standard input is the file -', () => {
  const web = () => ({ CRAWL_CONNECT_TO: origin.url, PROTOCOL_NAME: 'adcp' })

  test.each<[command: string[], input: string, sentence: RegExp]>([
    [['crawl', '--domains', '-'], '', /^The standard input contains no domain\.\n$/],
    [
      ['crawl', '--domains', '-'],
      'no domain\n# a comment\n\n',
      /^The standard input contains no domain\nnot a domain, line 1: no domain\.\n$/,
    ],
    [['policy', 'publish', '-'], '{', /^The standard input is not JSON: /],
    [['policy', 'publish', '-'], '[]', /^The standard input has no policy\.\n$/],
    [['policy', 'publish', '-'], '{"policy_id":7}', /^The policy: policy_id must be a string; /],
    [['policy', 'publish', '-'], '[7,{}]', /^policy 1 must be an object; policy 2: /],
    [['start', '--domains', '-'], 'no domain', /the standard input contains no domain/i],
  ])('registry %j refuses %j', async (command, input, sentence) => {
    const { status, stderr } = await runAlone(command, input, web())
    expect([status, stderr]).toEqual([1, expect.stringMatching(sentence)])
  })

  test('for a crawl, which takes the valid lines, reports the others, and exits 1', async () => {
    const crawl = ['crawl', '--domains', '-']
    const some = await runAlone(
      crawl,
      '1,news.example\nno domain\nshop.example\r\nhttp://\n',
      web(),
    )
    expect([some.status, some.stdout + some.stderr]).toEqual([
      1,
      expect.stringMatching(/not a domain, line 2: no domain\nnot a domain, line 4: http:\/\/\n/),
    ])
    expect(new Set(origin.asked.map(place => place.split('/')[0]))).toEqual(
      new Set(['news.example', 'shop.example']),
    )
    const result = await runAlone([...crawl, '--json'], 'news.example\n%\n', web())
    expect([result.status, JSON.parse(result.stdout)]).toMatchObject([
      1,
      { domains: 1, refused: ['2: %'] },
    ])
    expect(await runAlone(['crawl', '-', 'shop.example'], 'news.example', web())).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^2 domains\n/),
    })
  })

  test('for a crawl, which names what was taken down and fails if nothing else was given', async () => {
    await run(['takedown', 'gone.example', '--confirm', 'gone.example'])
    const left = 'Did not crawl www.gone.example: gone.example was taken down. '
    const crawl = (domains: string) => runAlone(['crawl', '-'], domains, web())
    expect(await crawl('www.gone.example')).toMatchObject({
      status: 1,
      stdout: expect.stringContaining(left),
    })
    const [entry] = JSON.parse((await run(['audit', 'list', '--limit', '1', '--json'])).stdout)
    expect(entry).toMatchObject({
      operation: 'domains.add',
      answer: { refused: 'the domain was taken down' },
    })
    expect(await crawl('www.gone.example\nnews.example')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(left),
    })
    expect(await crawl('gone.example')).toMatchObject({
      stdout: expect.stringContaining('Did not crawl gone.example: it was taken down. '),
    })
    const undo = 'To accept it again, run `registry takedown gone.example --undo`.'
    expect(await run(['why', 'sales.gone.example'])).toMatchObject({
      status: 1,
      stdout: `sales.gone.example: gone.example was taken down. ${undo}\n`,
    })
  })

  test('for a domain of an organization, and names what was taken down', async () => {
    expect(await run(['org', 'domain', 'add', 'sub.gone.example', ...acme])).toMatchObject({
      status: 1,
      stderr: 'The domain gone.example was taken down.\n',
    })
  })

  test('for a takedown without a domain, and says what it would be for', async () => {
    expect((await run(['takedown'])).stderr).toBe('Give the domain to take down, or --list.\n')
    expect((await run(['takedown', '--undo'])).stderr).toMatch(/^Give the domain to accept again: /)
    expect((await run(['takedown', 'a.example', '--list'])).stderr).toBe(
      'Give a domain or --list, but not both.\n',
    )
  })

  test('for publishing a policy', async () => {
    expect(await runAlone(['policy', 'publish', '-'], JSON.stringify(ccpa))).toMatchObject({
      status: 0,
      stdout: 'ccpa 1\n',
    })
  })
})
