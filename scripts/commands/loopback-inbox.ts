import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type Delivery,
  inboxBounds,
  type Refusals,
  type WebhookInbox,
} from '../../pipeline/storyboards/webhook-inbox.ts'

/** Opens an inbox on this machine, for an agent that runs here too. */
export async function openLoopbackInbox(refusals: Refusals): Promise<WebhookInbox> {
  const token = randomBytes(16).toString('hex')
  const deliveries = new Map<string, Delivery[]>()
  let count = 0
  const server = createServer(async (request, response) => {
    const [, run, step = ''] = (request.url ?? '').split('/')
    const body = await readBody(request)
    if (request.method !== 'POST' || run !== token || body === undefined) {
      return void response.writeHead(404).end()
    }
    if (++count > inboxBounds.deliveries) return void response.writeHead(429).end()
    const before = deliveries.get(step) ?? []
    const refusal = refusals.get(step)
    const status = refusal !== undefined && before.length < refusal.count ? refusal.status : 200
    const url = `${origin}${request.url}`
    const delivery = { url, headers: request.headers, body: body.toString('base64'), status }
    deliveries.set(step, [...before, delivery])
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    toUrl: step => `${origin}/${token}/${step}`,
    list: async step => deliveries.get(step) ?? [],
    async close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Reads a body; undefined where it is larger than a webhook may be. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of request) {
    bytes += part.length
    if (bytes > inboxBounds.bytes) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts)
}
