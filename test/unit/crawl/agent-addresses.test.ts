import type { ServerResponse } from 'node:http'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { getEffect, type Outcome, pickDecisive } from '../../../pipeline/core/outcomes.ts'
import {
  type AgentAnswer,
  buildScriptedAgent,
  noAnswer,
  probe,
  probeHost,
  probeWith,
  readDocument,
  serveAgentHost,
} from '../../support/servers/agent-host.ts'
import { createFetcherTo } from '../../support/worlds/fetching.ts'

const none = (response: ServerResponse, status: number) => response.writeHead(status).end()
const agent = buildScriptedAgent({ tasks: { get_signals: {} } })
const card = { name: 'Carded', skills: [{ id: 'get_products' }] }
const listTools = (observation: Awaited<ReturnType<typeof probe>>) =>
  readDocument(observation).tools.map(({ name }) => name)

describe('the address of an agent', () => {
  it.each(['agent-card.json', 'agent.json'])('may be that of its card: %s', async name => {
    const location = `https://agent.example/v1/.well-known/${name}`
    const both = await probe(
      (ask, response) => {
        if (ask.path === `/v1/.well-known/${name}`) return card
        return ask.path === '/v1/mcp' ? agent({ ...ask, path: '/mcp' }, response) : undefined
      },
      { location },
    )
    expect(readDocument(both)).toMatchObject({
      protocols: ['mcp', 'a2a'],
      endpoint: 'https://agent.example/v1/mcp',
    })
    const only = await probe(ask => (ask.path.endsWith(name) ? card : undefined), { location })
    expect(readDocument(only)).toMatchObject({ protocols: ['a2a'], name: 'Carded' })
  })

  test.each([401, 403, 408, 429, 500, 503, 302, 418])(
    'is not the only one tried when it answers %i',
    async status => {
      const observation = await probe(
        (ask, response) =>
          ask.path === '/sales/mcp'
            ? agent({ ...ask, path: '/mcp' }, response)
            : none(response, status),
        { location: 'https://agent.example/sales' },
      )
      expect(readDocument(observation).endpoint).toBe('https://agent.example/sales/mcp')
    },
  )

  it('is not asked further once the host wants a pause, and its failure stands', async () => {
    const host = await serveAgentHost((_, response) =>
      response.writeHead(503, { 'retry-after': '600' }).end(),
    )
    const observation = await probeHost(host)
    expect(observation).toMatchObject({ outcome: 'server_error', status: 503, retry_after_s: 600 })
    expect(host.asked).toEqual(['agent.example/mcp'])
  })

  it('at which the host does not answer at all is the only one tried', async () => {
    const host = await serveAgentHost(() => noAnswer)
    await probeHost(host, { limits: { probeMs: 300 } })
    expect(host.asked).toEqual(['agent.example/mcp'])
  })

  it('is not absent where the card can only not be read now', async () => {
    const observation = await probe((ask, response) =>
      none(response, ask.path.startsWith('/.well-known/') ? 503 : 404),
    )
    expect(observation).toMatchObject({ outcome: 'server_error', status: 503 })
  })

  it.each([401, 403, 429, 500, 503])('keeps its card while that answers %i', async status => {
    const observation = await probe((ask, response) =>
      ask.path.startsWith('/.well-known/') ? none(response, status) : agent(ask, response),
    )
    expect(readDocument(observation).unread).toEqual(['card'])
  })
})

/** Status that one place may answer, with the outcome that it has there for MCP and for a card. */
const places = {
  200: ['ok', 'ok'],
  401: ['needs_auth', 'denied'],
  403: ['denied', 'denied'],
  404: ['absent', 'absent'],
  405: ['http_error', 'http_error'],
  429: ['throttled', 'throttled'],
  500: ['server_error', 'server_error'],
} as const satisfies Record<number, readonly [Outcome, Outcome]>
type Status = keyof typeof places
const statuses = Object.keys(places).map(Number) as Status[]

describe('of several attempts at one agent', () => {
  const serve =
    (byPath: Record<string, Status>): AgentAnswer =>
    (ask, response) => {
      const isCard = ask.path.startsWith('/.well-known/')
      const status = ask.method === 'GET' && !isCard ? 404 : (byPath[ask.path] ?? 404)
      if (status !== 200) return none(response, status)
      return isCard ? card : agent({ ...ask, path: '/mcp' }, response)
    }

  it('the right one stands, whatever the others do', async () => {
    const status = fc.constantFrom(...statuses)
    await fc.assert(
      fc.asyncProperty(status, status, status, status, async (first, second, newCard, oldCard) => {
        const observation = await probe(
          serve({
            '/mcp': first,
            '/mcp/': second,
            '/.well-known/agent-card.json': newCard,
            '/.well-known/agent.json': oldCard,
          }),
        )
        const mcp = [{ outcome: places[first][0] }, { outcome: places[second][0] }]
        const cards = [{ outcome: places[newCard][1] }, { outcome: places[oldCard][1] }]
        const isSpoken = mcp.some(({ outcome }) => !['absent', 'http_error'].includes(outcome))
        const attempts: { outcome: Outcome }[] = isSpoken ? mcp : [...mcp, ...cards]
        const { outcome } = pickDecisive({ outcome: 'absent' as Outcome }, ...attempts)
        expect(observation.outcome).toBe(outcome)
        const all = [first, second, newCard, oldCard]
        if (observation.outcome === 'absent') expect(all.every(each => each === 404)).toBe(true)
        if (getEffect(observation.outcome) === 'success')
          expect([...mcp, ...cards]).toContainEqual({ outcome })
      }),
      { numRuns: 150 },
    )
  })
})

describe('a session', () => {
  const sessions = (lose: number, status = 404, body = ''): AgentAnswer => {
    let issued = 0
    let lost = 0
    return (ask, response) => {
      const { method = '' } = ask.call
      if (ask.method !== 'POST' || ask.path !== '/mcp') return undefined
      if (method === 'initialize') {
        // A new session is begun without the id of the old one.
        if (ask.headers['mcp-session-id'] !== undefined) return none(response, 400)
        response.setHeader('mcp-session-id', `s${++issued}`)
        return agent(ask, response)
      }
      if (ask.headers['mcp-session-id'] !== `s${issued}`) return none(response, 400)
      if (method === 'tools/list' && lost < lose) {
        lost++
        return response.writeHead(status).end(body)
      }
      return agent(ask, response)
    }
  }
  const unknown = JSON.stringify({
    jsonrpc: '2.0',
    id: null,
    error: { code: -32_000, message: 'Bad Request: No valid session ID provided' },
  })

  it('that the server has lost is renewed, and the call repeated', async () => {
    expect(listTools(await probe(sessions(1)))).toEqual(['get_signals'])
    expect(listTools(await probe(sessions(1, 400, unknown)))).toEqual(['get_signals'])
  })

  it('is renewed once per call, and its loss does not mean that the agent is absent', async () => {
    const observation = await probe(sessions(100))
    expect(observation).toMatchObject({ outcome: 'http_error', status: 404 })
  })

  it('that cannot be renewed leaves open whether there is an agent', async () => {
    let isGone = false
    const observation = await probe((ask, response) => {
      if (isGone || ask.path !== '/mcp') return undefined
      if (ask.call.method === 'tools/list') {
        isGone = true
        return none(response, 404)
      }
      response.setHeader('mcp-session-id', 'one')
      return agent(ask, response)
    })
    expect(observation).toMatchObject({ outcome: 'http_error' })
  })

  it('is held in a version that the server names, where it refuses ours', async () => {
    for (const status of [200, 400]) {
      const asked: unknown[] = []
      const observation = await probe((ask, response) => {
        const { id, method, params } = ask.call
        if (ask.path !== '/mcp') return undefined
        if (method === 'initialize') {
          asked.push(params?.protocolVersion)
          if (params?.protocolVersion !== '2025-03-26') {
            const data = { supported: ['1999-01-01', '2024-11-05', '2025-03-26'] }
            const error = { code: -32_602, message: 'Unsupported protocol version', data }
            response.writeHead(status, { 'content-type': 'application/json' })
            return response.end(JSON.stringify({ jsonrpc: '2.0', id, error }))
          }
          response.setHeader('mcp-session-id', 's1')
        } else if (ask.headers['mcp-session-id'] !== 's1') return none(response, 400)
        return agent(ask, response)
      })
      expect(listTools(observation)).toEqual(['get_signals'])
      expect(asked).toEqual(['2025-06-18', '2025-03-26'])
    }
  })

  it('whose version has no known name is not asked for twice', async () => {
    let asked = 0
    const methods = {
      initialize: ({ call }: { call: { id?: number } }) => {
        asked++
        const error = { code: -32_602, message: 'no', data: { supported: ['2099-01-01', 7] } }
        return { jsonrpc: '2.0', id: call.id, error }
      },
    }
    expect((await probe(buildScriptedAgent({ methods }))).outcome).toBe('ok')
    expect(asked).toBe(1)
  })
})

describe('the reply of an agent', () => {
  const withId =
    (toId: (id: number) => unknown): AgentAnswer =>
    (ask, response) => {
      const { id, method } = ask.call
      if (ask.path !== '/mcp' || ask.method !== 'POST') return undefined
      if (id === undefined) return response.writeHead(202).end()
      const result =
        method === 'initialize'
          ? { protocolVersion: '2025-06-18', serverInfo: { name: 'A' } }
          : { tools: [{ name: 'get_signals' }] }
      return { jsonrpc: '2.0', id: toId(id), result }
    }

  it('may have its number as text, as gateways write it', async () => {
    expect(listTools(await probe(withId(String)))).toEqual(['get_signals'])
  })

  it.each<[string, (id: number) => unknown]>([
    ['another number', id => id + 1_000],
    ['another number as text', id => `${id + 1_000}`],
    ['a word', () => 'abc'],
    ['a number with a sign', id => `+${id}`],
    ['none', () => null],
  ])('with %s is not the reply', async (_, toId) => {
    expect((await probe(withId(toId))).outcome).toBe('unusable')
  })

  const note = { jsonrpc: '2.0', method: 'notifications/message', params: {} }
  const batch = (version: string, asStream: boolean) =>
    buildScriptedAgent({
      methods: {
        initialize: ({ call: { id } }) => ({
          jsonrpc: '2.0',
          id,
          result: { protocolVersion: version },
        }),
        'tools/list': ({ call: { id } }, response) => {
          const list = [note, { jsonrpc: '2.0', id, result: { tools: [{ name: 'get_signals' }] } }]
          if (!asStream) return list
          response.writeHead(200, { 'content-type': 'text/event-stream' })
          return response.end(`event: message\ndata: ${JSON.stringify(list)}\n\n`)
        },
      },
    })

  it.each([true, false])(
    'may be in a list where batches were agreed on; stream: %s',
    async asStream => {
      for (const version of ['2025-03-26', '2024-11-05']) {
        expect(listTools(await probe(batch(version, asStream)))).toEqual(['get_signals'])
      }
      expect((await probe(batch('2025-06-18', asStream))).outcome).toBe('not_json')
    },
  )
})

describe('an agent that speaks HTTP+SSE alone', () => {
  interface Older {
    place?: string
    type?: string
    /** Answer of the address for messages; 202 by default. */
    status?: number
    /** Ends the stream in place of this reply. */
    hangUpAt?: string
    path?: string
  }
  /** Serves an agent of 2024-11-05 at /sse; the stream lives in the closure, as a session does. */
  const older = ({
    place = '/messages?session=1',
    status = 202,
    path = '/sse',
    ...more
  }: Older): AgentAnswer => {
    let stream: ServerResponse | undefined
    let hasHungUp = false
    return (ask, response) => {
      if (ask.path === path && ask.method === 'GET') {
        stream = response
        response.writeHead(200, { 'content-type': more.type ?? 'text/event-stream' })
        response.write(`: hello\n\nevent: endpoint\ndata: ${place}\n\n`)
        return noAnswer
      }
      if (ask.path === path) return none(response, 405)
      if (!ask.path.startsWith('/messages')) return undefined
      response.writeHead(status).end()
      const { id, method } = ask.call
      if (method === more.hangUpAt && !hasHungUp) {
        hasHungUp = true
        stream?.end()
        return noAnswer
      }
      if (id === undefined) return noAnswer
      const result =
        method === 'initialize'
          ? { protocolVersion: '2024-11-05', serverInfo: { name: 'Older' } }
          : { tools: [{ name: 'get_products' }] }
      stream?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
      return noAnswer
    }
  }

  it.each(['https://agent.example/sse', 'https://agent.example', 'https://agent.example/mcp'])(
    'is found at %s, over one connection slot of its host',
    async location => {
      const host = await serveAgentHost(older({}))
      const fetcher = createFetcherTo(host.url, { hostConcurrency: 1 })
      const observation = await probeWith(fetcher, { location })
      expect(readDocument(observation)).toMatchObject({
        name: 'Older',
        endpoint: 'https://agent.example/sse',
        tools: [{ name: 'get_products' }],
      })
    },
  )

  it('is not asked so while Streamable HTTP is spoken', async () => {
    const host = await serveAgentHost((ask, response) =>
      ask.path === '/mcp' && ask.call.method === 'tools/list'
        ? none(response, 500)
        : agent(ask, response),
    )
    expect((await probeHost(host)).outcome).toBe('server_error')
    expect(host.asked.some(path => path.endsWith('/sse'))).toBe(false)
  })

  it('must name an address of its own host, before anything is sent there', async () => {
    for (const place of ['https://evil.example/messages', 'http://agent.example/messages', '//']) {
      const host = await serveAgentHost(older({ place }))
      const observation = await probeHost(host, { location: 'https://agent.example/sse' })
      expect(observation.outcome).toBe('http_error')
      expect(host.asked.some(path => path.includes('messages'))).toBe(false)
    }
  })

  it('is not read where it answers with something else than a stream', async () => {
    const observation = await probe(older({ type: 'text/html' }), {
      location: 'https://agent.example/sse',
    })
    expect(observation.outcome).toBe('http_error')
  })

  it('begins another session when the stream ends', async () => {
    const observation = await probe(older({ hangUpAt: 'tools/list' }), {
      location: 'https://agent.example/sse',
      limits: { probeMs: 3_000 },
    })
    expect(observation.outcome).not.toBe('absent')
  })

  it('that refuses messages is not absent', async () => {
    const observation = await probe(older({ status: 403 }), {
      location: 'https://agent.example/sse',
    })
    expect(observation).toMatchObject({ outcome: 'denied', status: 403 })
  })

  it('that never replies takes its time and no more', async () => {
    const observation = await probe(
      (ask, response) => {
        if (ask.path === '/sse' && ask.method === 'GET') {
          response.writeHead(200, { 'content-type': 'text/event-stream' })
          response.write('event: endpoint\ndata: /messages\n\n')
          return noAnswer
        }
        return none(response, ask.path === '/messages' ? 202 : 405)
      },
      { location: 'https://agent.example/sse', limits: { probeMs: 500 } },
    )
    expect(observation.outcome).toBe('http_error')
  })
})
