import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  Command,
  type Environment,
  findFreePort,
  makeTemporaryFolder,
} from '../support/processes/command.ts'

const folder = makeTemporaryFolder()
const at = (name: string) => join(folder.path, name)
const isRoot = process.getuid?.() === 0
const mayMount = isRoot && canMount()
const busy: Server[] = []
let port: number
let otherPort: number
let free: string

function canMount(): boolean {
  try {
    execFileSync('unshare', ['--mount', '--', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt'])
    return true
  } catch {
    return false
  }
}

/** Listens on a port until the end of the tests. */
async function takePort(): Promise<number> {
  const taken = await findFreePort()
  const server = createServer()
  busy.push(server)
  await new Promise<void>(resolve => server.listen(taken, '127.0.0.1', resolve))
  return taken
}

beforeAll(async () => {
  port = await takePort()
  otherPort = await takePort()
  free = String(await findFreePort())
  writeFileSync(at('domains.txt'), 'acme.example\n')
  writeFileSync(at('file'), 'text')
  mkdirSync(at('closed'))
  mkdirSync(at('alone'))
  chmodSync(at('closed'), 0o500)
})

afterAll(() => {
  for (const server of busy) server.close()
  folder.remove()
})

/** Starts a registry that must refuse; `through` runs the command in a mount namespace. */
async function refuse(env: Environment, args: string[] = [], through: string[] = []) {
  const settings = { PORT: free, DATA_DIR: at('data'), CRAWL_CONNECT_TO: 'http://127.0.0.1:9' }
  const own = { ...settings, PROTOCOL_NAME: 'adcp', LOG_LEVEL: 'warn', ...env }
  return new Command(['start', ...args], own, through).finish()
}

describe('a start that cannot be says so in one sentence', () => {
  test.each<[why: string, env: () => Environment, sentence: () => string]>([
    [
      'a busy port',
      () => ({ PORT: String(port) }),
      () =>
        `Port ${port} of 127.0.0.1 is in use: set PORT to another port, or end the program that listens there.`,
    ],
    [
      'a busy port of the operator',
      () => ({ OPERATOR_PORT: String(port) }),
      () =>
        `Port ${port} of 127.0.0.1 is in use: set OPERATOR_PORT to another port, or end the program that listens there.`,
    ],
    [
      'a busy default port of the operator',
      () => ({ PORT: String(port - 100) }),
      () =>
        `Port ${port} of 127.0.0.1 is in use: set OPERATOR_PORT to another port, or end the program that listens there.`,
    ],
    [
      'one port for the API and the operator',
      () => ({ OPERATOR_PORT: free }),
      () => `PORT and OPERATOR_PORT are both ${free}: set OPERATOR_PORT to another port.`,
    ],
    [
      'a port above which there is none for the operator',
      () => ({ PORT: '65500' }),
      () =>
        'OPERATOR_PORT would be above 65535, since it follows PORT: set it, or choose a lower PORT.',
    ],
    [
      'the address of a registry to follow',
      () => ({ REPLICA_OF: 'https://registry.example' }),
      () =>
        'REPLICA_OF is set, but `start` runs a registry of its own: unset it, or run `registry follow https://registry.example`.',
    ],
    [
      'an address of another machine',
      () => ({ HOST: '192.0.2.1' }),
      () => 'HOST is 192.0.2.1, which is not an address of this machine.',
    ],
    [
      'an address of another machine beside a contradiction that is about another setting',
      () => ({ HOST: '192.0.2.1', OPERATOR_HOST: '0.0.0.0' }),
      () =>
        'OPERATOR_HOST requires OPERATOR_TOKEN, as others reach the operator’s port.\n' +
        'HOST is 192.0.2.1, which is not an address of this machine.',
    ],
    [
      'a missing certificate',
      () => ({ CRAWL_CA_FILE: at('nowhere.pem') }),
      () => `CRAWL_CA_FILE names ${at('nowhere.pem')}, which does not exist.`,
    ],
    [
      'a file that is no certificate',
      () => ({ CRAWL_CA_FILE: at('file') }),
      () => `CRAWL_CA_FILE names ${at('file')}, which has no certificate in PEM.`,
    ],
    ...['REGISTRY_SIGNING_KEYS', 'LOG_SIGNING_KEY'].map(
      name =>
        [
          `a missing ${name}`,
          () => ({ [name]: at('nowhere.jwk') }),
          () => `${name} names ${at('nowhere.jwk')}, which does not exist.`,
        ] as [string, () => Environment, () => string],
    ),
    [
      'a file that is no key',
      () => ({ LOG_SIGNING_KEY: at('file') }),
      () => `LOG_SIGNING_KEY names ${at('file')}, which has no private Ed25519 key as a JWK.`,
    ],
    [
      'a file that is no JWKS',
      () => ({ AGENT_SIGNER_KEYS: at('file') }),
      () => `AGENT_SIGNER_KEYS names ${at('file')}, which is no JWKS.`,
    ],
    [
      'a folder in place of names',
      () => ({ PROTECTED_NAMES: at('closed') }),
      () => `PROTECTED_NAMES names ${at('closed')}, which is a folder.`,
    ],
    [
      'a folder of something else',
      () => ({ DATA_DIR: folder.path }),
      () =>
        `DATA_DIR is ${folder.path}, which is not empty and holds no registry. Choose another folder.`,
    ],
    [
      'a folder below a file',
      () => ({ DATA_DIR: at('file/data') }),
      () =>
        `DATA_DIR is ${at('file/data')}, and nothing can be written there because a part of the path is a file. Choose another folder.`,
    ],
    [
      'a folder that no file system has',
      () => ({ PUBLISH_TO: '/proc/registry/files' }),
      () =>
        'PUBLISH_TO is /proc/registry/files, and nothing can be written there because the folder cannot be created. Choose another folder.',
    ],
    [
      'a wrong setting and a misspelled one',
      () => ({ API_PROCESSES: '0', BASE_URI: 'x' }),
      () =>
        'BASE_URI is not a setting; the nearest is BASE_URL.\n' +
        'API_PROCESSES must be a whole number from 1 to 64; it is "0".',
    ],
    [
      'a wrong setting, a missing file and a host without an address',
      () => ({ API_PROCESSES: '0', CRAWL_CA_FILE: at('nowhere.pem'), HOST: 'nowhere.invalid' }),
      () =>
        'API_PROCESSES must be a whole number from 1 to 64; it is "0".\n' +
        `CRAWL_CA_FILE names ${at('nowhere.pem')}, which does not exist.\n` +
        'HOST is nowhere.invalid, a name without an address.',
    ],
    [
      'a wrong setting, a missing file and a folder in which nothing can be written',
      () => ({ API_PROCESSES: '0', CRAWL_CA_FILE: at('nowhere.pem'), DATA_DIR: at('file/data') }),
      () =>
        'API_PROCESSES must be a whole number from 1 to 64; it is "0".\n' +
        `CRAWL_CA_FILE names ${at('nowhere.pem')}, which does not exist.\n` +
        `DATA_DIR is ${at('file/data')}, and nothing can be written there because a part of the path is a file. Choose another folder.`,
    ],
    [
      'two folders in which nothing can be written',
      () => ({ DATA_DIR: at('file/data'), BACKUP_TO: at('file/backup') }),
      () =>
        `DATA_DIR is ${at('file/data')}, and nothing can be written there because a part of the path is a file. Choose another folder.\n` +
        `BACKUP_TO is ${at('file/backup')}, and nothing can be written there because a part of the path is a file. Choose another folder.`,
    ],
    [
      'two busy ports, and a Redis that is away',
      () => ({
        PORT: String(port),
        OPERATOR_PORT: String(otherPort),
        REDIS_URL: 'redis://user:secret@127.0.0.1:1',
      }),
      () =>
        `Port ${port} of 127.0.0.1 is in use: set PORT to another port, or end the program that listens there.\n` +
        `Port ${otherPort} of 127.0.0.1 is in use: set OPERATOR_PORT to another port, or end the program that listens there.\n` +
        'REDIS_URL: Redis does not answer at redis://…@127.0.0.1:1: start it, then try again.',
    ],
    [
      'a wrong setting, a busy port, and a Redis that is away',
      () => ({
        API_PROCESSES: '0',
        PORT: String(port),
        REDIS_URL: 'redis://user:secret@127.0.0.1:1',
      }),
      () =>
        'API_PROCESSES must be a whole number from 1 to 64; it is "0".\n' +
        `Port ${port} of 127.0.0.1 is in use: set PORT to another port, or end the program that listens there.\n` +
        'REDIS_URL: Redis does not answer at redis://…@127.0.0.1:1: start it, then try again.',
    ],
    [
      'a busy port of the agent of the demo',
      () => ({ AGENT_PORT: String(port), CRAWL_CONNECT_TO: undefined }),
      () =>
        `Port ${port} of 127.0.0.1 is in use: set AGENT_PORT to another port, or end the program that listens there.\n` +
        'The demo takes PORT, PORT + 100 (OPERATOR_PORT) and PORT + 200 (AGENT_PORT): another PORT moves all three.',
    ],
  ])('%s', async (_, env, sentence) => {
    const { status, stdout, stderr } = await refuse(env())
    expect([status, stderr]).toEqual([1, `${sentence()}\n`])
    expect(stdout).toBe('')
  })

  test('a place of backups inside DATA_DIR, and makes neither', async () => {
    const { stderr } = await refuse({ DATA_DIR: at('unmade'), BACKUP_TO: at('unmade/backups') })
    expect(stderr).toBe(
      'BACKUP_TO and DATA_DIR must not be inside one another: backups outlive DATA_DIR.\n',
    )
    expect(existsSync(at('unmade'))).toBe(false)
  })

  test('a folder of somebody else', async () => {
    const DATA_DIR = at('closed/data')
    const through = isRoot ? ['setpriv', '--reuid=65534', '--clear-groups'] : []
    expect((await refuse({ DATA_DIR }, [], through)).stderr).toBe(
      `DATA_DIR is ${DATA_DIR}, and nothing can be written there because this user has no permission. Choose another folder.\n`,
    )
  })

  test.skipIf(!mayMount).each([
    [
      'ro',
      'DATA_DIR is /mnt, and nothing can be written there because its file system is read-only. Choose another folder.',
    ],
    ['size=200k', 'The disk of /mnt is full: a registry cannot start there.'],
  ])('a disk that is mounted with %s', async (options, sentence) => {
    const script = `mount -t tmpfs -o ${options} tmpfs /mnt && exec "$@"`
    const through = ['unshare', '--mount', '--', 'sh', '-c', script, 'sh']
    const { status, stderr } = await refuse({ DATA_DIR: '/mnt' }, [], through)
    expect([status, stderr]).toEqual([1, `${sentence}\n`])
  })
})

test('a place that nobody can follow is refused, and nothing is made', async () => {
  const follow = ['follow', 'nonsense']
  const { status, stderr } = await new Command(follow, { DATA_DIR: at('copy') }).finish()
  expect([status, stderr]).toEqual([1, 'nonsense is neither a URL nor an existing folder.\n'])
  expect(existsSync(at('copy'))).toBe(false)
})

test('a role that runs alone names a busy port in the same words', async () => {
  const env = { PORT: String(port), DATA_DIR: at('alone'), REDIS_URL: 'redis://127.0.0.1:1' }
  const { status, stderr } = await new Command(['api'], { ...env, LOG_LEVEL: 'silent' }).finish()
  expect([status, stderr]).toEqual([
    1,
    `Port ${port} of 127.0.0.1 is in use: set PORT to another port, or end the program that listens there.\n`,
  ])
})

describe('a role that runs alone', () => {
  const wrong = () => ({
    HOST: '192.0.2.1',
    REDIS_URL: 'redis://127.0.0.1:1',
    PUBLISH_TO: '/proc/registry/files',
    ...Object.fromEntries(
      ['CRAWL_CA_FILE', 'LOG_SIGNING_KEY', 'REGISTRY_SIGNING_KEYS', 'AGENT_SIGNER_KEYS'].map(
        name => [name, at(`nowhere/${name}`)],
      ),
    ),
  })
  const missing = (name: string) =>
    `${name} names ${at(`nowhere/${name}`)}, which does not exist.\n`
  const host = 'HOST is 192.0.2.1, which is not an address of this machine.\n'

  test.each<[role: string, faults: () => string]>([
    ['api', () => missing('REGISTRY_SIGNING_KEYS') + host],
    ['crawler', () => missing('CRAWL_CA_FILE') + missing('REGISTRY_SIGNING_KEYS')],
    ['push', () => missing('CRAWL_CA_FILE') + missing('REGISTRY_SIGNING_KEYS')],
    ['agent', () => missing('CRAWL_CA_FILE') + missing('AGENT_SIGNER_KEYS') + host],
    [
      'indexer',
      () =>
        `${missing('LOG_SIGNING_KEY')}PUBLISH_TO is /proc/registry/files, and nothing can be written there because the folder cannot be created. Choose another folder.\n`,
    ],
  ])('%s names all that is wrong with what it uses, and nothing else', async (role, faults) => {
    const { status, stderr } = await new Command([role], {
      ...wrong(),
      DATA_DIR: at('alone'),
    }).finish()
    expect([status, stderr]).toEqual([1, faults()])
  })

  test('says why it cannot start where npm runs it, too', async () => {
    const env = { DATA_DIR: '/proc/registry/data', REDIS_URL: 'redis://127.0.0.1:1' }
    const asNpm =
      'import("./scripts/setup/run.mjs").then(run => run.execWith(...process.argv.slice(1)))'
    const role = new Command(['indexer'], { ...env, LOG_SIGNING_KEY: at('file') }, [
      'node',
      '-e',
      asNpm,
    ])
    const { status, stderr } = await role.finish()
    expect([status, stderr]).toEqual([
      1,
      'There is no registry in /proc/registry/data: is DATA_DIR right?\n' +
        `LOG_SIGNING_KEY names ${at('file')}, which has no private Ed25519 key as a JWK.\n`,
    ])
  })

  test.each(['api', 'indexer', 'push'])(
    'begins no registry in a mistyped folder: %s',
    async role => {
      const env = { DATA_DIR: at('mistyped'), REDIS_URL: 'redis://127.0.0.1:1' }
      const { status, stderr } = await new Command([role], env).finish()
      expect([status, stderr]).toEqual([
        1,
        `There is no registry in ${at('mistyped')}: is DATA_DIR right?\n`,
      ])
      expect(existsSync(at('mistyped'))).toBe(false)
    },
  )
})

test.each<[what: string, files: Record<string, string>, sentence: RegExp]>([
  [
    'that cannot be read',
    { 'record/record.sqlite': 'damaged' },
    /^record\/record\.sqlite cannot be read \(.+\): replace it .* `registry restore DIR --force` .*\n$/,
  ],
  [
    'that is missing',
    { 'checkpoint.json': '{}' },
    /^record\/record\.sqlite of .* is missing .* `registry restore DIR --force` .*\n$/,
  ],
])('a record %s is told of before anything runs', async (what, files, sentence) => {
  const folder = at(`record ${what}`)
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  const { status, stdout, stderr } = await refuse({ DATA_DIR: folder })
  expect([status, stdout, stderr]).toEqual([1, '', expect.stringMatching(sentence)])
})

test('a record that was damaged while the registry was stopped is told of before anything runs', async () => {
  const DATA_DIR = at('changed')
  mkdirSync(DATA_DIR)
  await new Command(['org', 'create', '--name', 'Acme'], { DATA_DIR }).finish()
  const record = join(DATA_DIR, 'record/record.sqlite')
  const bytes = readFileSync(record)
  writeFileSync(record, bytes.fill(7, 3 * 4_096))
  const { status, stdout, stderr } = await refuse({ DATA_DIR })
  expect([status, stdout, stderr]).toEqual([
    1,
    '',
    expect.stringMatching(/^record\/record\.sqlite cannot be read \(.+\): replace it .+\n$/),
  ])
})

test('a mistyped DATA_DIR does not become the demo of a public registry', async () => {
  const env = {
    DATA_DIR: at('typo'),
    BASE_URL: 'https://registry.example.com',
    CRAWL_CONNECT_TO: '',
  }
  const { status, stdout, stderr } = await refuse(env)
  expect([status, stdout, stderr]).toEqual([
    1,
    '',
    expect.stringMatching(
      /typo holds no registry, .*set DATA_DIR .*`registry start --domains FILE`\.\n$/,
    ),
  ])
  expect(existsSync(at('typo'))).toBe(false)
})

test('real domains are not crawled into the demo', async () => {
  mkdirSync(at('demo'))
  writeFileSync(at('demo/demo-domains.txt'), '')
  const domains = ['--domains', at('domains.txt')]
  const { status, stdout, stderr } = await refuse({ DATA_DIR: at('demo') }, domains)
  expect([status, stdout, stderr]).toEqual([
    1,
    '',
    `${at('demo')} holds the demo: choose another DATA_DIR for real domains.\n`,
  ])
})

describe('a command', () => {
  test.skipIf(!isRoot)('of somebody else says whose the registry is, and what to do', async () => {
    mkdirSync(at('owned'))
    const env = { DATA_DIR: at('owned') }
    await new Command(['org', 'create', '--name', 'Acme'], env).finish()
    chmodSync(folder.path, 0o755)
    const through = ['setpriv', '--reuid=65534', '--clear-groups']
    const { status, stderr } = await new Command(['status'], env, through).finish()
    expect([status, stderr]).toEqual([
      1,
      `The user nobody may not use ${at('owned/record')}, which belongs to root: run this as root (\`sudo -u root …\`). ` +
        'If the registry runs as nobody, give it its files back (`chown -R nobody` of DATA_DIR).\n',
    ])
  })

  test.skipIf(!mayMount)('does not take a full disk for a damaged record', async () => {
    const script =
      'mount -t tmpfs -o size=16m tmpfs /mnt && "$@" Acme && ' +
      '{ head -c 16m /dev/zero > /mnt/filled; "$@" Other; }'
    const through = ['unshare', '--mount', '--', 'sh', '-c', script, 'sh']
    const args = ['org', 'create', '--name']
    const { status, stderr } = await new Command(args, { DATA_DIR: '/mnt' }, through).finish()
    expect(stderr).toMatch(/The disk of \/mnt is full: free some space, then run this again\.\n$/)
    expect(status).toBe(1)
  })
})

test('a role that ends for another reason is reported once, by its start', async () => {
  mkdirSync(at('reported'))
  writeFileSync(at('reported/restoring'), '{}')
  const { status, stderr } = await refuse({ DATA_DIR: at('reported') })
  expect(status).toBe(1)
  expect(stderr.match(/The indexer cannot start/g)).toHaveLength(1)
  expect(stderr).not.toContain('did not start')
  expect(stderr).not.toMatch(/^ +at /m)
})
