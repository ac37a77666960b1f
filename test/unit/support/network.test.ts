import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import {
  findNetworkProblem,
  type NetworkHost,
  TestNetwork,
} from '../../support/processes/network.ts'
import { cleanUp } from '../../support/registry/registry.ts'

const PORT = 4_000
const problem = findNetworkProblem()

function openNetwork(): TestNetwork {
  const network = new TestNetwork()
  cleanUp(() => network.close())
  return network
}

/** Sends that many bytes to whoever connects to the host. */
async function serveBytes(host: NetworkHost, bytes: number): Promise<void> {
  const program = `require('node:net').createServer(socket => socket.end(Buffer.alloc(${bytes})))
    .listen(${PORT}, '${host.address}', () => console.log('ready'))`
  const [ip, ...rest] = [...host.through, process.execPath, '-e', program]
  const child = spawn(ip!, rest)
  cleanUp(async () => {
    child.kill()
    await once(child, 'close')
  })
  await once(child.stdout, 'data')
}

/** Connects from another host, and returns the bytes that arrive, or why none did. */
function receive(from: NetworkHost, address: string, seconds = 30): string {
  const program = `let bytes = 0
    const socket = require('node:net').connect(${PORT}, '${address}')
    setTimeout(() => socket.destroy(new Error('timeout')), ${seconds * 1_000}).unref()
    socket.on('data', part => { bytes += part.length }).on('end', () => console.log(bytes))
      .on('error', error => console.log(error.code ?? error.message))`
  const [ip, ...rest] = [...from.through, process.execPath, '-e', program]
  return spawnSync(ip!, rest, { encoding: 'utf8' }).stdout.trim()
}

describe.skipIf(problem !== undefined)(
  `hosts of a test's network (${problem ?? 'possible'})`,
  () => {
    test('reach each other and the test, and nobody else', async () => {
      const network = openNetwork()
      const [one, two] = [network.addHost(), network.addHost()]
      await serveBytes(one, 1_000)
      expect(receive(two, one.address)).toBe('1000')
      expect(receive(two, '192.0.2.1', 2)).toBe('ENETUNREACH')
      const server = createServer(socket => socket.end(Buffer.alloc(7)))
      cleanUp(() => void server.close())
      await once(server.listen(PORT, network.address), 'listening')
      const socket = connect(PORT, one.address)
      const [part] = await once(socket, 'data')
      expect((part as Buffer).length).toBe(1_000)
      socket.destroy()
    })

    test('a host that is cut off receives nothing until it is healed', async () => {
      const network = openNetwork()
      const [one, two] = [network.addHost(), network.addHost()]
      await serveBytes(one, 1_000)
      one.cut()
      expect(receive(two, one.address, 2)).toMatch(/timeout|EHOSTUNREACH/)
      one.heal()
      // For a second or so it is remembered as unreachable.
      await expect.poll(() => receive(two, one.address)).toBe('1000')
    })

    test('what a lossy host loses is sent again, and little passes where nearly all is', async () => {
      const network = openNetwork()
      const [one, two] = [network.addHost(), network.addHost()]
      await serveBytes(one, 100_000)
      one.lose(10)
      expect(receive(two, one.address, 60)).toBe('100000')
      one.lose(95)
      expect(receive(two, one.address, 2)).toMatch(/timeout|EHOSTUNREACH/)
      one.lose(0)
      await expect.poll(() => receive(two, one.address)).toBe('100000')
    })
  },
)
