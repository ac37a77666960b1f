import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { RegistryClient } from '@adcp/sdk'
import {
  Command,
  type Environment,
  findFreePort,
  makeTemporaryFolder,
  runForOutput,
} from './command.ts'

const CLIENT = join(import.meta.dirname, '../../../node_modules/@adcp/sdk/bin/adcp.js')

/** The demo as `registry start` runs it, and an organization that uses it. */
export interface Demo {
  base: string
  /** Process that supervises the roles. */
  pid: number
  dataDir: string
  secret: string
  client: RegistryClient
  /** Runs our command line and returns what it prints. */
  runForOutput(...args: string[]): Promise<string>
  /** Runs the public client's command line. */
  run(...args: string[]): Promise<{ status: number; stdout: string }>
  close(): Promise<void>
}

export async function startDemo(org: string, more: Environment = {}): Promise<Demo> {
  const folder = makeTemporaryFolder()
  const port = String(await findFreePort())
  const env = {
    DATA_DIR: folder.path,
    REDIS_URL: undefined,
    LOG_LEVEL: 'warn',
    PORT: port,
    PROTOCOL_NAME: 'adcp',
    ...more,
  }
  const base = `http://127.0.0.1:${port}`
  const start = new Command(['start'], env)
  await start.waitForOutput(/^Ready\./m)
  await runForOutput(['org', 'create', '--name', org], env)
  const secret = await runForOutput(['key', 'create', '--org', org], env)
  // The client is compiled once, not at each start: a quarter of the time that it takes.
  const clientEnv = { ...process.env, NODE_COMPILE_CACHE: join(folder.path, 'compiled-client') }
  return {
    base,
    pid: start.child.pid!,
    dataDir: folder.path,
    secret,
    client: new RegistryClient({ baseUrl: base, apiKey: secret }),
    runForOutput: (...args) => runForOutput(args, env),
    run(...args) {
      const command = [CLIENT, 'registry', ...args, '--registry-url', base, '--auth', secret]
      return new Promise(resolve => {
        const options = { env: clientEnv, timeout: 300_000 }
        execFile(process.execPath, command, options, (error, stdout, stderr) =>
          resolve({ status: Number(error?.code ?? 0), stdout: stdout + stderr }),
        )
      })
    },
    async close() {
      await start.interrupt()
      folder.remove()
    },
  }
}
