import { existsSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { serveOperator } from '../../api/operator/server.ts'
import { Supervisor } from '../../jobs/supervisor.ts'
import { systemClock } from '../../pipeline/core/clock.ts'
import { createLog } from '../../pipeline/core/log.ts'
import { requireValue } from '../../pipeline/core/present.ts'
import { makeFolders, resolvePaths } from '../../pipeline/store/paths.ts'
import { runRole } from './roles.ts'
import {
  checkDiskSpace,
  checkPorts,
  findPlaceFaults,
  type PortUse,
  readServiceSettings,
} from './start-checks.ts'
import { takeStartLock } from './start-lock.ts'
import { printAddress } from './start-output.ts'
import { stopOnSignals } from './stop-on-signals.ts'
import { toTypedPath } from './typed-path.ts'

const SCRIPT = fileURLToPath(new URL('../registry.js', import.meta.url))
const REPORT_MS = 2_000

/** Keeps a read-only copy of another registry in DATA_DIR, and serves it. */
export async function follow(from: string, { key }: { key?: string }): Promise<void> {
  const origin = readOrigin(from)
  const ports: PortUse = {
    chooseOperatorPort: ({ OPERATOR_PORT }) => OPERATOR_PORT,
    withAgent: false,
  }
  const config = await readServiceSettings('follow', process.env, values =>
    findPlaceFaults({ ...values, REDIS_URL: undefined }, ports),
  )
  const paths = resolvePaths(config.DATA_DIR)
  if (existsSync(paths.index))
    throw new Error(`${paths.dir} holds a registry of its own: set DATA_DIR to another folder`)
  checkDiskSpace(paths, existsSync(paths.replica))
  makeFolders(paths)
  await takeStartLock(config)
  await checkPorts({ ...config, REDIS_URL: undefined }, ports)
  const log = createLog('supervisor', config.LOG_LEVEL)
  const supervisor = new Supervisor(SCRIPT, log)
  const env = {
    ...process.env,
    DATA_DIR: paths.dir,
    OPERATOR_PORT: undefined,
    PUBLISH_TO: undefined,
    REPLICA_OF: origin,
    ...(key !== undefined && { REPLICA_KEY: key }),
  }
  stopOnSignals(supervisor, async () => {
    await supervisor.close()
    process.exit(0)
  })
  if (config.OPERATOR_PORT !== undefined) {
    await serveOperator({
      config,
      clock: systemClock,
      log,
      port: config.OPERATOR_PORT,
      redisUrl: undefined,
      showsQueues: false,
      readReports: () => supervisor.readReports(REPORT_MS),
    })
  }
  await supervisor.start({ name: 'replica', args: ['replica'], env })
  const { url } = await supervisor.start({ name: 'api', args: ['api'], env })
  printAddress(requireValue(url, 'address of the API'))
}

/** Runs the process of `follow` that copies. */
export function startReplicaRole(): Promise<void> {
  return runRole('replica', async ({ config, log }) => {
    const { runReplica } = await import('../../jobs/replica/replica.ts')
    const { REPLICA_OF: from } = config
    if (from === undefined) throw new Error('REPLICA_OF is not set: use `registry follow`')
    return runReplica(config, from, systemClock, log)
  })
}

/** Resolves what is followed. Throws where nothing can ever be found: what an address has may come later. */
function readOrigin(from: string): string {
  if (/^(https?|s3):\/\//.test(from)) return from
  const folder = toTypedPath(from)
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`${from} is neither a URL nor an existing folder`)
  return folder
}
