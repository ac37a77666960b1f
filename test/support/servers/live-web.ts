import type { IncomingMessage, ServerResponse } from 'node:http'
import { openWriterClient, type WriterClient } from '../../../jobs/api-client/writer-client.ts'
import { runCrawler } from '../../../jobs/crawler/crawler.ts'
import { REDIS_PREFIX } from '../../../jobs/redis.ts'
import { systemClock } from '../../../pipeline/core/clock.ts'
import { readConfig } from '../../../pipeline/core/config.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import { startRedis, type TestRedis } from '../processes/redis.ts'
import { openRegistry, type RegistryOptions, type TestRegistry } from '../registry/app.ts'
import {
  buildGenerousLimits,
  generousRates,
  generousTimeouts,
} from '../registry/generous-limits.ts'
import { type Origin, serveOrigin } from './origin.ts'

export interface HostRequest {
  request: IncomingMessage
  response: ServerResponse
  host: string
  path: string
  body: string
}

/** Answer of a host: JSON, or a function that writes the response. */
export type LiveHost = Record<string, object | string | ((ask: HostRequest) => unknown)>

/** A web of some hosts, a crawler that reaches it, and registries that use this crawler. */
export interface LiveWeb {
  hosts: Record<string, LiveHost>
  redis: TestRedis
  writer: WriterClient
  origin: Origin
  open(limits?: Record<string, number>, more?: RegistryOptions): Promise<TestRegistry>
  /** Forgets all requests, and what they spent of the limits. */
  forget(): Promise<void>
  close(): Promise<void>
}

export async function openLiveWeb(
  hosts: Record<string, LiveHost>,
  /** Limits of the crawler, which is patient with everybody where they say nothing else. */
  limits: Record<string, number> = {},
  /** Its settings that are not the default. */
  more: Record<string, string> = {},
): Promise<LiveWeb> {
  const redis = await startRedis()
  const origin = await serveOrigin(async (request, response, path) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const host = request.headers.host!
    const said = web.hosts[host]?.[path.split('?')[0]!] ?? web.hosts[host]?.['*']
    if (said === undefined) return void response.writeHead(404).end()
    if (typeof said === 'function') return void said({ request, response, host, path, body })
    response.setHeader('content-type', typeof said === 'string' ? 'text/plain' : 'application/json')
    response.end(typeof said === 'string' ? said : JSON.stringify(said))
  })
  const writer = openWriterClient(redis.url, silentLog, generousTimeouts)
  const settings = {
    CRAWL_CONNECT_TO: origin.url,
    ...buildGenerousLimits({ ...generousRates, ...limits }),
    ...more,
  }
  const role = await runCrawler(readConfig(settings), redis.url, systemClock, silentLog)
  const registries = new Set<TestRegistry>()
  const web: LiveWeb = {
    hosts,
    redis,
    writer,
    origin,
    async open(own = {}, more = {}) {
      // What was seen a moment ago is another answer, but where a test is about that.
      const forgetful = { answerKeptSeconds: 0, answerKeptAtBoundSeconds: 0 }
      const registry = await openRegistry({
        redis: redis.redis,
        ...more,
        writer: {
          requestLive: writer.requestLive,
          runStoryboard: writer.runStoryboard,
          findStoryboardJob: writer.findStoryboardJob,
          cancelStoryboardJob: writer.cancelStoryboardJob,
          ...more.writer,
        },
        limits: { ...forgetful, ...own },
      })
      registries.add(registry)
      const { close } = registry
      return Object.assign(registry, {
        async close() {
          registries.delete(registry)
          await close()
        },
      })
    },
    async forget() {
      const keys = await redis.redis.keys(`${REDIS_PREFIX}:requests:*`)
      if (keys.length > 0) await redis.redis.del(...keys)
      origin.asked.length = 0
    },
    async close() {
      try {
        for (const registry of registries) await registry.close()
      } finally {
        await role.close()
        await writer.close()
        await origin.close()
        await redis.close()
      }
    },
  }
  return web
}

/** Builds a handler that speaks MCP, with results of its tasks by name. */
export function buildAgentHost(tasks: Record<string, object>, name = 'Trained Agent') {
  return ({ request, response, body }: HostRequest) => {
    if (request.method !== 'POST') return response.writeHead(405).end()
    const { id, method, params = {} } = JSON.parse(body)
    if (method === 'notifications/initialized') return response.writeHead(202).end()
    const results: Record<string, object> = {
      initialize: { protocolVersion: '2025-06-18', serverInfo: { name } },
      'tools/list': {
        tools: Object.keys(tasks).map(tool => ({ name: tool, inputSchema: { type: 'object' } })),
      },
      'tools/call': {
        content: [{ type: 'text', text: JSON.stringify(tasks[params.name] ?? {}) }],
      },
    }
    response.setHeader('content-type', 'application/json')
    return response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }))
  }
}
