import { connectRedis, type Redis, waitUntilReady } from '../../../jobs/redis.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import { cleanUp } from '../registry/registry.ts'
import { startRedis, type TestRedis } from './redis.ts'

/** Starts a Redis, and connects to it as processes of other hosts do. */
export async function openFleetRedis(): Promise<{
  server: TestRedis
  connect: (url?: string) => Promise<Redis>
}> {
  const server = await startRedis()
  cleanUp(() => server.close())
  return {
    server,
    async connect(url = server.url) {
      const connection = connectRedis(url, 'waitForever', silentLog)
      cleanUp(() => connection.disconnect())
      await waitUntilReady(connection)
      return connection
    },
  }
}
