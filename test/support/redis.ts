import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectRedis, type Redis } from '../../jobs/redis.ts'
import { silentLog } from '../../pipeline/core/log.ts'

export interface TestRedis {
  url: string
  redis: Redis
  /** Ends the server; the connection stays and finds nobody. */
  stop(): Promise<void>
  close(): Promise<void>
}

/** A redis-server of its own on a socket in a temporary folder. */
export async function startRedis(): Promise<TestRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'registry-redis-'))
  const socket = join(folder, 'redis.sock')
  const options = ['--port', '0', '--unixsocket', socket, '--save', '', '--dir', folder]
  const server = spawn('redis-server', options, { stdio: 'ignore' })
  const url = `unix://${socket}`
  const redis = connectRedis(url, 'ask', silentLog)
  await once(redis, 'ready')
  const stop = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return
    server.kill('SIGKILL')
    await once(server, 'exit')
  }
  return {
    url,
    redis,
    stop,
    async close() {
      redis.disconnect()
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
