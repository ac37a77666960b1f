import { countThings } from '../../pipeline/core/counts.ts'
import { replaceFile } from '../../pipeline/store/durable-files.ts'
import { buildWorld } from '../world/build.ts'
import { serveFolder } from '../world/folder.ts'
import { serveWorld } from '../world/server.ts'
import { assertFolder } from './input.ts'
import { runRole } from './roles.ts'
import { toTypedPath } from './typed-path.ts'

interface WorldOptions {
  dir?: string
  seed: number
  port: number
  tls?: boolean
  caFile?: string
  list?: string
  agent?: string
  receiver?: string
}

export function serveWorldFolder(options: WorldOptions): Promise<void> {
  return runRole('world', async ({ config }) => {
    if (options.dir) assertFolder(options.dir)
    const made = options.dir
      ? serveFolder(toTypedPath(options.dir))
      : buildWorld({ seed: options.seed, protocolName: config.PROTOCOL_NAME })
    if (options.list) replaceFile(toTypedPath(options.list), `${made.domains.join('\n')}\n`)
    const served = await serveWorld(made, {
      port: options.port,
      tls: options.tls ?? false,
      ...(options.agent && { agent: { url: options.agent, token: config.TEST_AGENT_TOKEN } }),
      ...(options.receiver && { receiver: options.receiver }),
      ...(options.caFile ? { caFile: toTypedPath(options.caFile) } : {}),
    })
    if (process.send === undefined || process.stdout.isTTY) {
      process.stdout.write(`${countThings(made.domains.length, 'domain')} at ${served.url}\n`)
    }
    return served
  })
}
