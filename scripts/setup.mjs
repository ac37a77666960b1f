/**
 * Runs before every `npm` command, on a machine that may have only Node and npm: installs the
 * packages and a newer Node, builds, makes Redis available, then starts the requested program.
 */
import { build, requireBuild } from './setup/build.mjs'
import { check } from './setup/check.mjs'
import { requireChromium } from './setup/chromium.mjs'
import { installModules } from './setup/modules.mjs'
import { requireNode } from './setup/node.mjs'
import { requireOperatorPrograms } from './setup/operator-programs.mjs'
import { requireRedis } from './setup/redis.mjs'
import { execNode, execWith, fail } from './setup/run.mjs'
import { useTemporaryFolder } from './setup/temporary-folder.mjs'

const registry = 'dist/scripts/registry.js'
const rolesWithRedis = ['start', 'api', 'crawler', 'indexer']
const [command = '', ...args] = process.argv.slice(2)

const commands = {
  build,
  check,
  start() {
    // Before a build of a minute, since it may be missing.
    if (!process.env.REDIS_URL) requireRedis()
    requireBuild()
    execNode(registry, 'start', ...args)
  },
  registry() {
    if (!process.env.REDIS_URL && rolesWithRedis.includes(args[0])) requireRedis()
    requireBuild()
    execNode(registry, ...args)
  },
  test() {
    process.once('exit', countAsFailed)
    requireBuild()
    requireRedis()
    requireChromium()
    requireOperatorPrograms()
    useTemporaryFolder()
    process.off('exit', countAsFailed)
    // CI runs the soaks as well, and whoever names tests gets these.
    const chosen = process.env.CI || args.length > 0 ? args : ['--project', '!soak']
    execNode('node_modules/vitest/vitest.mjs', 'run', ...chosen)
  },
  generate() {
    requireBuild()
    execNode('dist/scripts/generate.js', ...args)
  },
  bench() {
    const isNamed = args[0] !== undefined && !args[0].startsWith('--')
    const [name, ...rest] = isNamed ? args : ['all', ...args]
    requireBuild()
    requireRedis()
    execNode('--expose-gc', `dist/scripts/bench/${name}.js`, ...rest)
  },
}

/** Prints a count as the last line of `npm test`, also where no test could start. */
function countAsFailed() {
  console.log('0 passed, 1 failed')
}

if (!Object.hasOwn(commands, command)) {
  fail(`setup.mjs wants one of: ${Object.keys(commands).join(', ')}`)
}
installModules()
const node = requireNode()
if (node === process.execPath) await commands[command]()
else execWith(node, 'scripts/setup.mjs', ...process.argv.slice(2))
