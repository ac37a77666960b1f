import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { afterAll, describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { findFreePort, makeTemporaryFolder, waitUntil } from '../support/processes/command.ts'
import { startRedis, startSlowRedis } from '../support/processes/redis.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const require = createRequire(import.meta.url)

const dockerfile = read('Dockerfile')
const compose = parse(read('compose.yaml'))
const manifests = parseAllDocuments(read('docs/operate/kubernetes.yaml')).map(document =>
  document.toJS(),
)
const unit = read('docs/operate/registry.service')

/** Command line arguments and settings of an installation. */
interface Installation {
  args: string[]
  settings: Record<string, string>
  /** Paths that tell that the registry is up. */
  probes: string[]
}

const imageSettings = Object.fromEntries(
  Array.from(dockerfile.matchAll(/^ENV (\w+)=(\S+)$/gm), ([, name, value]) => [name!, value!]),
)

function findManifest(kind: string, name: string) {
  return manifests.find(manifest => manifest.kind === kind && manifest.metadata.name === name)
}

/** Reads the values of a key of the unit, which may come more than once. */
function readUnit(key: string): string[] {
  return Array.from(unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm')), ([, value]) => value!)
}

function readCompose(): Installation {
  const { command, environment } = compose.services.registry
  const withDefaults = Object.entries(environment as Record<string, string>).map(
    ([name, value]) => [name, value.replace(/\$\{\w+:-(.*)\}/, '$1')],
  )
  const settings = { ...imageSettings, ...Object.fromEntries(withDefaults) }
  return { args: command, settings, probes: ['/healthz'] }
}

function readKubernetes(): Installation {
  const { 'domains.txt': _, ...settings } = findManifest('ConfigMap', 'registry').data
  const [{ args, ...container }] = findManifest('StatefulSet', 'registry').spec.template.spec
    .containers
  const probes = ['startupProbe', 'readinessProbe', 'livenessProbe']
  return {
    args,
    settings: { ...imageSettings, ...settings },
    probes: probes.map(probe => container[probe].httpGet.path),
  }
}

function readSystemd(): Installation {
  const [, , ...args] = readUnit('ExecStart')[0]!.split(' ')
  const settings = readUnit('Environment').flatMap(line =>
    line.split(' ').map(pair => pair.split('=') as [string, string]),
  )
  return { args, settings: Object.fromEntries(settings), probes: ['/healthz', '/readyz'] }
}

const folder = makeTemporaryFolder()
const started: ChildProcess[] = []

afterAll(async () => {
  for (const child of started) {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
  }
  folder.remove()
})

/** User of the image. Only root may become another one, and only where that one may read the checkout. */
const USER = 1000
const script = join(root, 'dist/scripts/registry.js')
const mayBecome =
  process.getuid?.() === 0 && spawnSync('test', ['-r', script], { uid: USER }).status === 0
const user = mayBecome ? { uid: USER, gid: USER } : {}

/** Makes a folder that the registry may write to: as the user of the image it has no other. */
function makeDataFolder(name: string): string {
  const path = mkdtempSync(join(folder.path, name))
  if (mayBecome) for (const place of [folder.path, path]) chownSync(place, USER, USER)
  return path
}

describe('the ways to install', () => {
  test('compose.yaml is valid by the schema of the Compose specification', () => {
    const schemas = join(require.resolve('dclint/package.json'), '../schemas')
    const ajv = new Ajv({ strict: false, allErrors: true })
    addFormats.default(ajv)
    const schema = JSON.parse(readFileSync(join(schemas, 'compose.schema.json'), 'utf8'))
    const isValid = ajv.compile({ ...schema, $schema: 'http://json-schema.org/draft-07/schema#' })
    expect([isValid(compose), isValid.errors]).toEqual([true, null])
    expect(isValid({ services: { registry: { comand: [] } } })).toBe(false)
  })

  test('every setting that install.md asks for reaches the container of compose.yaml', () => {
    const { env_file, environment } = compose.services.registry
    expect(env_file).toEqual([{ path: '.env', required: false }])
    const [, table = ''] = read('docs/operate/install.md').split(/^## |Decide on these/m)
    const names = [...table.matchAll(/`([A-Z]+_[A-Z_]+)`/g)].map(([, name]) => name!)
    expect(names.length).toBeGreaterThan(5)
    // What stands there beside the file comes from it too.
    const fixed = names.filter(name => environment[name]?.includes(`\${${name}:-`) === false)
    expect(fixed).toEqual([])
  })

  test('kubernetes.yaml is valid by the schemas of Kubernetes', async () => {
    expect(manifests.map(({ kind }) => kind)).toContain('StatefulSet')
    for (const { apiVersion, kind, ...fields } of manifests) {
      const Model = require(`kubernetes-models/${apiVersion}/${kind}`)[kind]
      expect(() => new Model(fields).validate(), kind).not.toThrow()
    }
  })

  test('no container runs as root, writes to its image, or has a capability', () => {
    for (const service of Object.values<Record<string, unknown>>(compose.services)) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
    }
    expect(dockerfile).toMatch(/^USER 1000$/m)
    const pods = manifests.flatMap(({ spec }) => (spec?.template ? [spec.template.spec] : []))
    expect(pods.length).toBe(2)
    for (const { securityContext, containers } of pods) {
      expect(securityContext).toMatchObject({ runAsNonRoot: true })
      for (const container of containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
      }
    }
  })

  test('registry.service is accepted by systemd, which calls its exposure OK', () => {
    const file = join(root, 'docs/operate/registry.service')
    const run = (...args: string[]) => spawnSync('systemd-analyze', args, { encoding: 'utf8' })
    // The user and the program are those of another machine.
    expect(run('verify', file).stderr).not.toMatch(/registry\.service:\d+:/)
    const { status, stdout } = run('security', '--offline=true', '--threshold=20', file)
    expect([status, stdout]).toEqual([0, expect.stringMatching(/exposure level .*OK/)])
  })

  test.each([
    ['compose.yaml', readCompose()],
    ['kubernetes.yaml', readKubernetes()],
    ['registry.service', readSystemd()],
  ])('%s starts a registry that answers its probes', async (name, { args, settings, probes }) => {
    const dataDir = makeDataFolder(name)
    const redis = await startRedis()
    // By TCP: its socket is of this test's user.
    const redisUrl = await startSlowRedis(redis.url, 0)
    const domains = join(folder.path, 'domains.txt')
    writeFileSync(domains, findManifest('ConfigMap', 'registry').data['domains.txt'])
    const port = await findFreePort()
    const child = spawn(
      process.execPath,
      [script, ...args.map(arg => arg.replace('/etc/registry/domains.txt', domains))],
      {
        cwd: root,
        stdio: ['ignore', 'ignore', 'inherit'],
        ...user,
        env: {
          ...settings,
          PATH: process.env.PATH,
          DATA_DIR: dataDir,
          REDIS_URL: redisUrl,
          PORT: String(port),
          LOG_LEVEL: 'error',
          // Nobody listens there: nothing of this leaves the machine.
          CRAWL_CONNECT_TO: 'http://127.0.0.1:1',
        },
      },
    )
    started.push(child)
    for (const probe of probes) {
      await waitUntil(async () => (await fetch(`http://127.0.0.1:${port}${probe}`)).ok)
    }
    await waitUntil(async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`)
      const { problems } = (await answer.json()) as { problems?: string[] }
      return problems?.length === 0
    })
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
    await redis.close()
  })
})
