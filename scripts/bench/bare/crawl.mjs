import net from 'node:net'
import { Client } from 'undici'

/**
 * Measures the least a crawl can cost: undici fetches the same files, JSON.parse reads each,
 * nothing is kept. Plain JavaScript without a line of the registry; it is run without a build.
 */
const [, , world] = process.argv
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

async function readSite(origin) {
  const client = new Client(origin, { connect })
  for (const path of files) {
    const { statusCode, body } = await client.request({ path, method: 'GET' })
    await (statusCode === 200 ? body.json() : body.dump())
  }
  client.destroy(closed)
}

process.on('message', async domains => {
  global.gc?.()
  const cpu = process.cpuUsage()
  let next = 1
  const worker = async () => {
    while (next <= domains) {
      await readSite(`http://d${String(next++).padStart(6, '0')}-bench.example`)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  const { user, system } = process.cpuUsage(cpu)
  process.send({ fetches: domains * files.length, cpu: (user + system) / 1e6 })
})
process.on('disconnect', () => process.exit(0))
process.send({ ready: {} })
