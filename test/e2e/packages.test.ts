import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { projectRoot } from '../../pipeline/core/project-root.ts'
import { findFreePort, makeTemporaryFolder, waitUntil } from '../support/processes/command.ts'
import { installOffline, type PackedFile, pack } from '../support/processes/packed.ts'
import { type Origin, serveOrigin } from '../support/servers/origin.ts'

const VALIDATOR_BYTES_MAX = 1_000_000
/** Size of those of its files that a check of a file needs: to read them is much of a start. */
const LOADED_BYTES_MAX = 420_000
/** Modules of Node that take long, and that only a check of what a domain serves needs, or nothing at all. */
const late = ['child_process', 'http', 'tls', 'dns', 'zlib', 'worker_threads', 'inspector']

const folder = makeTemporaryFolder()
const at = (...parts: string[]) => join(folder.path, ...parts)
const served: Record<string, unknown> = {
  'sound.example/.well-known/adagents.json': {
    $schema: 'https://schemas.example/adagents.json',
    last_updated: '2026-11-01T00:00:00Z',
    authorized_agents: [],
    properties: [
      {
        property_type: 'website',
        name: 'Acme',
        identifiers: [{ type: 'domain', value: 'sound.example' }],
      },
    ],
  },
  'faulty.example/.well-known/adagents.json': { authorized_agents: [1] },
}
let origin: Origin
/** Environment of an empty machine: no settings, and an npm that finds nothing but its files. */
let env: Record<string, string | undefined>

beforeAll(async () => {
  origin = await serveOrigin((request, response, path) => {
    const body = served[`${request.headers.host}${path}`]
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(body === undefined ? '' : JSON.stringify(body))
  })
  env = {
    PATH: process.env.PATH,
    HOME: at('home'),
    npm_config_cache: at('npm-cache'),
    npm_config_offline: 'true',
    CRAWL_CONNECT_TO: origin.url,
  }
  for (const name of ['home', 'site', 'light', 'whole', 'packed']) mkdirSync(at(name))
  const write = (name: string, content: unknown) =>
    writeFileSync(at('site', name), JSON.stringify(content, null, 2))
  write('good.json', served['sound.example/.well-known/adagents.json'])
  write('odd.json', {
    ...(served['sound.example/.well-known/adagents.json'] as object),
    last_updated: undefined,
  })
  write('adagents-bad.json', { authorized_agents: [1] })
  write('brand.json', { id: 'acme', names: [{ en: 'Acme' }] })
})

afterAll(async () => {
  await origin.close()
  folder.remove()
})

/** Runs a program to its end; async, because it may ask this process for a file. */
async function run(program: string, args: string[], cwd: string, more: typeof env = {}) {
  const child = spawn(program, args, { cwd, env: { ...env, ...more } })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  await once(child, 'close')
  return { status: child.exitCode, ...output }
}

let validator: PackedFile

describe('the package of the validator, installed from its file', () => {
  let command: string
  const validate = (...args: string[]) => run(command, args, at('site'))

  beforeAll(() => {
    validator = pack('./dist/validator', at('packed'))
    execFileSync('npm', ['install', validator.path], {
      cwd: at('light'),
      env: env as NodeJS.ProcessEnv,
    })
    command = at('light/node_modules/.bin/agentic-ad-validator')
  })

  test('is small, depends on nothing and names its licenses', () => {
    expect(validator.unpackedSize).toBeLessThan(VALIDATOR_BYTES_MAX)
    const { dependencies, version } = readPackage(at('light/node_modules/agentic-ad-validator'))
    expect(dependencies).toBeUndefined()
    expect(version).toBe(readPackage(projectRoot).version)
    expect(validator.files).toEqual(
      expect.arrayContaining(['LICENSE', 'LICENSES.txt', 'README.md']),
    )
  })

  test('has a README that links to documents of its release, which are not in it', () => {
    const folder = at('light/node_modules/agentic-ad-validator')
    const readme = readFileSync(`${folder}/README.md`, 'utf8')
    const { version } = readPackage(folder)
    expect(readme).toContain(`/blob/v${version}/docs/settings.md#limits)`)
    expect(readme).not.toMatch(/\]\((?!https:|#)/)
  })

  test('loads to check a file little of what it has, and nothing that reaches a network', async () => {
    writeFileSync(
      at('loaded.mjs'),
      `import { registerHooks } from 'node:module'
import { statSync } from 'node:fs'
const loaded = []
registerHooks({
  load(url, context, next) {
    loaded.push(url)
    return next(url, context)
  },
})
process.on('exit', () => {
  const own = loaded.filter(url => url.startsWith('file:') && url.includes('agentic-ad-validator'))
  const bytes = own.reduce((sum, url) => sum + statSync(new URL(url)).size, 0)
  const modules = process.moduleLoadList.map(name => name.replace('NativeModule ', ''))
  console.error(JSON.stringify({ bytes, files: own.map(url => url.split('/').at(-1)), modules }))
})`,
    )
    const NODE_OPTIONS = `--import=${at('loaded.mjs')}`
    const listLoaded = async (target: string) =>
      JSON.parse((await run(command, [target], at('site'), { NODE_OPTIONS })).stderr)
    const file = await listLoaded('good.json')
    expect(file.bytes).toBeGreaterThan(100_000)
    expect(file.bytes).toBeLessThan(LOADED_BYTES_MAX)
    expect(file.files).not.toContainEqual(expect.stringMatching(/live/))
    expect(late.filter(name => file.modules.includes(name))).toEqual([])
    const live = await listLoaded('sound.example')
    expect(live.files).toContainEqual(expect.stringMatching(/live/))
    expect(live.modules).toContain('tls')
  })

  test('compiles at the second start nothing that it compiled at the first', async () => {
    const place = at('light/node_modules/agentic-ad-validator/.compiled')
    rmSync(place, { recursive: true, force: true })
    const start = async () => {
      const { status, stderr } = await run(command, ['good.json'], at('site'), {
        NODE_DEBUG_NATIVE: 'COMPILE_CACHE',
      })
      expect(status).toBe(0)
      return ['was accepted', 'writing cache for'].map(words => stderr.split(words).length - 1)
    }
    const [, written = 0] = await start()
    expect(written).toBeGreaterThan(2)
    expect(await start()).toEqual([written, 0])
    rmSync(place, { recursive: true })
    writeFileSync(place, 'no folder can be here')
    expect(await validate('good.json')).toMatchObject({ status: 0, stderr: '' })
    rmSync(place)
  })

  test('names the Node that it needs to one that is too old', async () => {
    writeFileSync(
      at('older.mjs'),
      'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })',
    )
    const { status, stdout, stderr } = await run(command, ['good.json'], at('site'), {
      NODE_OPTIONS: `--import=${at('older.mjs')}`,
    })
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^the validator needs Node 24[\d.]* or newer; this is 20\.20\.2\n$/)
  })

  test('names the line of a fault in a file', async () => {
    const { status, stdout } = await validate('good.json', 'adagents-bad.json')
    expect(status).toBe(2)
    expect(stdout).toContain('good.json: adagents.json, 0 errors')
    expect(stdout).toContain('adagents-bad.json:3:5: error: authorized_agents[0] must be an object')
  })

  test('checks what a domain serves, of which one file is enough', async () => {
    const sound = await validate('sound.example')
    expect(sound).toMatchObject({ status: 0, stderr: '' })
    expect(sound.stdout).toContain(
      'https://sound.example/.well-known/adagents.json: adagents.json, 0 errors',
    )
    expect(sound.stdout).not.toContain('brand.json')
    expect(origin.asked).toContain('sound.example/.well-known/brand.json')
    const faulty = await validate('faulty.example')
    expect(faulty.status).toBe(2)
    expect(faulty.stdout).toContain(
      'https://faulty.example/.well-known/adagents.json: error: authorized_agents[0]',
    )
  })

  test('says that a domain has neither file, and reaches no private address', async () => {
    const none = await validate('nobody.example')
    expect(none.status).toBe(2)
    expect(none.stdout.match(/\[file_missing\]/g)).toHaveLength(2)
    const missing = await validate('nobody.json')
    expect(missing).toMatchObject({ status: 1, stderr: expect.stringContaining('cannot be read') })
    const asked = origin.asked.length
    expect((await validate('localhost.localdomain')).status).toBe(2)
    expect(origin.asked).toHaveLength(asked)
  })
})

describe('the action for workflows', () => {
  const action = parse(readFileSync(join(projectRoot, 'action.yml'), 'utf8'))
  const steps: { run?: string; env?: Record<string, string> }[] = action.runs.steps
  const [{ run: script = '', env: names = {} } = {}] = steps.filter(step => step.run !== undefined)

  /** Runs its script as a runner does: inputs reach it as environment only. */
  function act(inputs: Record<string, string>) {
    const values: Record<string, string> = {
      'github.action_path': projectRoot,
      'inputs.package': validator.path,
    }
    for (const [name, { default: otherwise = '' }] of Object.entries<{ default?: string }>(
      action.inputs,
    ))
      values[`inputs.${name}`] ??= inputs[name] ?? otherwise
    const filled = Object.entries(names).map(([name, text]) => [
      name,
      text.replace(/\$\{\{ ([\w.]+) \}\}/g, (_, key) => values[key] ?? ''),
    ])
    const args = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script]
    return run('bash', args, at('site'), Object.fromEntries(filled))
  }

  test('passes for sound files, named as in the checkout', async () => {
    const { status, stdout, stderr } = await act({ files: '\n  good.json\n  brand.json\n' })
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toContain('good.json: adagents.json, 0 errors')
    expect(stdout).toContain('brand.json: brand.json, 0 errors')
  })

  test('fails for a fault, and has the runner show it beside its line', async () => {
    const { status, stdout } = await act({ files: 'adagents-bad.json' })
    expect(status).toBe(2)
    expect(stdout).toContain(
      '::error file=adagents-bad.json,line=3,col=5,title=wrong_type::authorized_agents[0] must be',
    )
  })

  test('checks what the domain serves too, and shows its faults with the address', async () => {
    const { status, stdout } = await act({
      files: 'good.json',
      domain: 'faulty.example',
      live: 'true',
    })
    expect(status).toBe(2)
    expect(stdout).toContain('good.json: adagents.json')
    expect(stdout).toContain(
      '::error title=wrong_type::https://faulty.example/.well-known/adagents.json: authorized_agents[0] must be',
    )
    expect((await act({ domain: 'sound.example', live: 'true' })).status).toBe(0)
  })

  test('fails for a warning if that is requested', async () => {
    expect((await act({ files: 'odd.json' })).status).toBe(0)
    expect((await act({ files: 'odd.json', strict: 'true' })).status).toBe(2)
  })

  test('takes no input for a command or an option', async () => {
    const { status, stdout, stderr } = await act({ files: '--help\n$(echo oh) `id`', domain: '' })
    expect(status).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toContain('--help cannot be read')
  })

  test('uses no expression in its script', () => {
    expect(script).not.toContain('${{')
  })

  test('takes the package of its release by default', () => {
    expect(script).toContain('/v$version/agentic-ad-validator-$version.tgz')
  })
})

describe('the package of the registry, installed from its file', () => {
  let command: string
  beforeAll(() => {
    const packed = pack('.', at('packed'))
    expect(
      packed.files.filter(path =>
        /^(?:test|data\/var|dist\/validator|dist\/\.compiled)\/|\/\.stamp$/.test(path),
      ),
    ).toEqual([])
    command = installOffline(packed, at('whole'))
  })

  test('validates a file and what a domain serves', async () => {
    const { status, stdout } = await run(
      command,
      ['validate', '../site/good.json', 'faulty.example'],
      at('whole'),
    )
    expect(status).toBe(2)
    expect(stdout).toContain('good.json: adagents.json, 0 errors')
    expect(stdout).toContain('faulty.example/.well-known/adagents.json: error')
  })

  test('starts a registry that answers, with its stores in this folder', async () => {
    const port = await findFreePort()
    const child = spawn(command, ['start'], {
      cwd: at('whole'),
      env: { PATH: process.env.PATH, HOME: at('home'), PORT: String(port), LOG_LEVEL: 'error' },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    try {
      const pages = ['/', '/data/', '/docs/guides', '/openapi/registry.yaml']
      for (const page of pages)
        await waitUntil(async () => (await fetch(`http://127.0.0.1:${port}${page}`)).ok)
      expect(existsSync(at('whole/data/var'))).toBe(true)
    } finally {
      child.kill('SIGINT')
      await once(child, 'exit')
    }
  })

  test('exports signing and the receiver of webhooks, with types', () => {
    writeFileSync(
      at('whole/use.mts'),
      `import { Webhook, buildWebhookProfile, MemoryReplayStore } from 'agentic-ad-registry/signing'
import { addWebhookReceiver, type WebhookReceiverOptions } from 'agentic-ad-registry/webhook-receiver'
export const path: WebhookReceiverOptions['path'] = '/changes'
const kinds: string[] = [Webhook, buildWebhookProfile, MemoryReplayStore, addWebhookReceiver].map(used => typeof used)
console.log(kinds.join())
`,
    )
    const node = (...args: string[]) =>
      spawnSync(process.execPath, args, { cwd: at('whole'), encoding: 'utf8' })
    const tsc = join(projectRoot, 'node_modules/typescript/bin/tsc')
    const options = ['--strict', '--module', 'nodenext', '--target', 'es2024']
    const types = ['--types', 'node', '--typeRoots', join(projectRoot, 'node_modules/@types')]
    expect(node(tsc, ...options, ...types, 'use.mts')).toMatchObject({ status: 0, stdout: '' })
    const used = node('use.mjs')
    expect([used.stdout, used.stderr]).toEqual(['object,function,function,function\n', ''])
  })
})

function readPackage(place: string) {
  return JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'))
}
