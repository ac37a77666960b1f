/**
 * What every `npm` command runs first, on a machine that may have nothing but Node and npm: makes
 * the packages, the build and Redis available, then hands over to the program asked for.
 */
import { build } from './setup/build.mjs'
import { check } from './setup/check.mjs'
import { installModules, requireNode } from './setup/modules.mjs'
import { requireRedis } from './setup/redis.mjs'
import { fail, handOver } from './setup/run.mjs'

const registry = 'dist/scripts/registry.js'
const rolesWithRedis = ['start', 'api', 'crawler', 'indexer']
const [command = '', ...args] = process.argv.slice(2)

const commands = {
  build,
  check,
  start() {
    build()
    if (!process.env.REDIS_URL) requireRedis()
    handOver(registry, 'start', ...args)
  },
  registry() {
    build()
    if (!process.env.REDIS_URL && rolesWithRedis.includes(args[0])) requireRedis()
    handOver(registry, ...args)
  },
  test() {
    process.once('exit', countAsFailed)
    build()
    requireRedis()
    process.off('exit', countAsFailed)
    handOver('node_modules/vitest/vitest.mjs', 'run', ...args)
  },
  generate() {
    build()
    handOver('dist/scripts/generate.js', ...args)
  },
  bench() {
    const [name, ...rest] = args
    build()
    requireRedis()
    handOver('--expose-gc', `dist/scripts/bench/${name}.js`, ...rest)
  },
}

/** The last line of `npm test` is always a count, also when no test could begin. */
function countAsFailed() {
  console.log('0 passed, 1 failed')
}

if (!Object.hasOwn(commands, command)) {
  fail(`setup.mjs wants one of: ${Object.keys(commands).join(', ')}`)
}
requireNode()
installModules()
commands[command]()
