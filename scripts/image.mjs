/**
 * Builds the image and proves that it starts. Without a container engine the Dockerfile's own lines
 * are performed in an empty folder, as the user it names, so that the two cannot drift apart.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { perform, readDockerfile } from './image/dockerfile.mjs'
import { fail, root, say } from './setup/run.mjs'

const engine = ['docker', 'podman'].find(name => spawnSync(name, ['info']).status === 0)
if (engine) buildWith(engine)
else await buildInFolder()

function buildWith(engine) {
  const tag = 'agentic-ad-registry'
  const run = (...args) => spawnSync(engine, args, { cwd: root, stdio: 'inherit' }).status === 0
  if (!run('build', '-t', tag, '.')) fail('The image could not be built.')
  if (!run('run', '--rm', tag, '--help')) fail('The image does not start.')
  say(`${tag}: built with ${engine}, and it starts`)
}

async function buildInFolder() {
  const work = mkdtempSync(join(tmpdir(), 'image-'))
  chmodSync(work, 0o755)
  const running = []
  try {
    say(`No container engine here: performing the Dockerfile in ${work}`)
    const context = join(work, 'context')
    copyContext(context)
    const image = perform(readDockerfile(join(root, 'Dockerfile')), context, work, say)
    await prove(image, running)
  } catch (error) {
    process.exitCode = 1
    say(`FAILED: ${error.message}`)
  } finally {
    await end(running)
    rmSync(work, { recursive: true, force: true })
  }
}

/** The build context: what .dockerignore lets through, which is a list of what may pass. */
function copyContext(to) {
  const lines = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n')
  const denied = lines.filter(line => /^[^#!*]/.test(line)).map(line => join(root, line))
  for (const path of lines.filter(line => line.startsWith('!')).map(line => line.slice(1))) {
    if (!existsSync(join(root, path))) continue
    cpSync(join(root, path), join(to, path), {
      recursive: true,
      filter: at => !denied.includes(at),
    })
  }
}

async function prove(image, running) {
  const [program, ...entry] = image.entrypoint
  const { PATH } = process.env
  const options = (env = {}) => ({
    cwd: image.folder,
    env: { PATH, HOME: image.folder, ...image.env, ...env },
    ...(process.getuid() === 0 && { uid: image.user, gid: image.user }),
    encoding: 'utf8',
  })
  const help = spawnSync(program, [...entry, '--help'], options())
  if (help.status !== 0) throw new Error(`--help ended with ${help.status}\n${help.stderr}`)
  say(`started as user ${image.user}: ${[...image.entrypoint, '--help'].join(' ')}`)

  const data = join(image.folder, 'data/var')
  const socket = join(data, 'redis.sock')
  const env = { PORT: String(await freePort()), REDIS_URL: `unix://${socket}`, LOG_LEVEL: 'warn' }
  const start = (...command) => {
    const [program, ...args] = command
    running.push(spawn(program, args, { ...options(env), stdio: ['ignore', 2, 2] }))
  }
  const redis = { port: 0, unixsocket: socket, dir: data, logfile: 'redis.log' }
  start(
    'redis-server',
    ...Object.entries(redis).flatMap(([key, value]) => [`--${key}`, `${value}`]),
  )
  start(...image.entrypoint, 'indexer')
  start(...image.entrypoint, ...image.command)
  const [check, ...checkArgs] = image.healthcheck
  for (const deadline = Date.now() + 60_000; ; await sleep(500)) {
    const { status } = spawnSync(check, checkArgs, options(env))
    if (status === 0) return say(`${image.command.join(' ')} answers its health check`)
    const ended = running.find(child => child.exitCode !== null || child.signalCode !== null)
    if (ended) throw new Error(`${ended.spawnargs.join(' ')} ended`)
    if (Date.now() > deadline) throw new Error('no healthy answer within 60 s')
  }
}

async function end(running) {
  for (const child of running.reverse()) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    const late = setTimeout(() => child.kill('SIGKILL'), 15_000)
    await ended
    clearTimeout(late)
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}
