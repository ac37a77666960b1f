import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import S3rver from 's3rver'
import { vi } from 'vitest'
import { cleanUp, createDataDir } from '../registry/registry.ts'

/**
 * Starts an object storage with an empty bucket; the environment names it until the test ends. Other hosts reach it
 * where `address` is one of a network.
 */
export async function startObjectStorage(address = '127.0.0.1') {
  const directory = join(createDataDir(), 's3')
  mkdirSync(directory, { recursive: true })
  const server = new S3rver({
    address,
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: 'registry', configs: [] }],
  })
  const { port } = await server.run()
  const url = `http://${address}:${port}`
  const environment = {
    AWS_ENDPOINT_URL_S3: url,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
  }
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  let isOpen = true
  const stop = async () => {
    if (!isOpen) return
    isOpen = false
    const closed = server.close()
    // A host that was lost never ends its connections.
    server.httpServer.closeAllConnections()
    await closed
  }
  cleanUp(async () => {
    vi.unstubAllEnvs()
    await stop()
  })
  return { url: `${url}/registry`, environment, stop }
}
