import net from 'node:net'
import { Agent, Client } from 'undici'

/**
 * Measures the least a crawl can cost: undici fetches the same files, JSON.parse reads each,
 * nothing is kept. Plain JavaScript without a line of the registry; it is run without a build.
 */
const [, , world, kind] = process.argv
const port = Number(new URL(world).port)
const CONCURRENCY = 256
const files = ['/.well-known/brand.json', '/.well-known/adagents.json']

const connect = (_, done) => {
  const socket = net.connect({ host: '127.0.0.1', port })
  socket.once('connect', () => done(null, socket))
  socket.once('error', error => done(error, null))
}
// An error passed to destroy() spares undici the creation of one with a stack.
const closed = new Error('closed')
let agent

const clients = {
  async client(origin) {
    const client = new Client(origin, { connect })
    let failed = 0
    for (const path of files) failed += await read(client, { path })
    client.destroy(closed)
    return failed
  },
  async agent(origin) {
    let failed = 0
    for (const path of files) failed += await read(agent, { origin, path })
    return failed
  },
}

async function read(dispatcher, target) {
  const { statusCode, body } = await dispatcher.request({ ...target, method: 'GET' })
  if (statusCode === 200) return (await body.json()) === null ? 1 : 0
  await body.dump()
  return 1
}

process.on('message', async ({ first, count }) => {
  global.gc?.()
  const cpu = process.cpuUsage()
  const started = performance.now()
  agent = new Agent({ connect, connections: 1 })
  let next = first
  let failed = 0
  const worker = async () => {
    while (next < first + count) {
      const host = `d${String(next++).padStart(6, '0')}-bench.example`
      failed += await clients[kind](`http://${host}`)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  // Closing belongs to the cost: over a night every connection ends.
  await agent.close()
  const wallMs = performance.now() - started
  const { user, system } = process.cpuUsage(cpu)
  process.send({
    fetches: count * files.length,
    wallMs,
    cpuMs: (user + system) / 1_000,
    failed,
  })
})
process.on('disconnect', () => process.exit(0))
process.send({ ready: {} })
