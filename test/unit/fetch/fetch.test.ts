import net, { type AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import zlib from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { FetchOptions } from '../../../pipeline/fetch/http.ts'
import { Politeness } from '../../../pipeline/fetch/politeness.ts'
import { runWithin } from '../../support/checks/measured-work.ts'
import type { Answer } from '../../support/servers/origin.ts'
import {
  closeAfterTest,
  createFetcherTo,
  FILE_URL,
  fetchFrom,
  fetchOptions,
  startOrigin,
  toOutcome,
  writeEndlessly,
} from '../../support/worlds/fetching.ts'

describe('outcomes by status', () => {
  it('200 is the document with its validators', async () => {
    const got = await fetchFrom((_, response) => {
      response.setHeader('etag', '"v1"').setHeader('last-modified', 'Fri, 20 Nov 2026 00:00:00 GMT')
      response.setHeader('content-type', 'application/json').end('{"a":1}')
    })
    expect(got).toEqual({
      kind: 'ok',
      status: 200,
      url: FILE_URL,
      body: Buffer.from('{"a":1}'),
      etag: '"v1"',
      lastModified: 'Fri, 20 Nov 2026 00:00:00 GMT',
      contentType: 'application/json',
    })
  })

  it.each([
    [204, 'http_error'],
    [300, 'http_error'],
    [304, 'http_error'],
    [400, 'http_error'],
    [401, 'denied'],
    [403, 'denied'],
    [404, 'absent'],
    [408, 'server_error'],
    [410, 'absent'],
    [429, 'throttled'],
    [451, 'denied'],
    [500, 'server_error'],
    [503, 'server_error'],
  ])('%i is %s', async (status, outcome) => {
    const got = await fetchFrom((_, response) => response.writeHead(status).end())
    expect(got).toMatchObject({ kind: 'failed', outcome, status, url: FILE_URL })
  })

  it('a request identifies the crawler, its purpose and a page for complaints', async () => {
    let headers = {}
    await fetchFrom((request, response) => {
      headers = request.headers
      response.end('{}')
    })
    expect(headers).toMatchObject({
      host: 'acme.example',
      accept: 'application/json',
      'accept-encoding': 'gzip, deflate, br',
      'user-agent': 'AgenticAdRegistry/1.0 (+https://registry.example/crawler)',
    })
  })

  it('a file with known validators is unchanged', async () => {
    const answer: Answer = (request, response) => {
      const same = request.headers['if-none-match'] === '"v1"'
      response.writeHead(same ? 304 : 200, { etag: '"v1"' }).end()
    }
    expect(await fetchFrom(answer, { etag: '"v1"' })).toEqual({
      kind: 'unchanged',
      status: 304,
      url: FILE_URL,
      etag: '"v1"',
    })
    expect(toOutcome(await fetchFrom(answer, { etag: '"v2"' }))).toBe('ok')
  })

  it('a date is sent as the validator; a validator that no header can carry is left out', async () => {
    let headers: Record<string, unknown> = {}
    const answer: Answer = (request, response) => {
      headers = request.headers
      response.end('{}')
    }
    const lastModified = 'Fri, 20 Nov 2026 00:00:00 GMT'
    await fetchFrom(answer, { lastModified, etag: '"a\r\nx-evil: 1"' })
    expect(headers['if-modified-since']).toBe(lastModified)
    expect(headers).not.toHaveProperty('if-none-match')
    expect(headers).not.toHaveProperty('x-evil')
  })

  it.each([
    ['120', 120],
    ['0', 0],
    ['999999', 86_400],
    ['Fri, 20 Nov 2026 03:01:00 GMT', 60],
    ['Fri, 20 Nov 2026 02:00:00 GMT', 0],
    ['soon', undefined],
  ])('Retry-After %s is read as %s seconds', async (header, seconds) => {
    const got = await fetchFrom((_, response) => {
      response.writeHead(429, { 'retry-after': header }).end()
    })
    expect(got).toMatchObject({ outcome: 'throttled' })
    expect((got as { retryAfterSeconds?: number }).retryAfterSeconds).toBe(seconds)
  })

  it('repeated headers are handled', async () => {
    const twice = (status: number): Answer => {
      return (_, response) => {
        const names = ['etag', 'content-type', 'retry-after', 'location', 'last-modified']
        for (const name of names) response.setHeader(name, ['1', '2'])
        response.writeHead(status).end('{}')
      }
    }
    expect(await fetchFrom(twice(200))).toMatchObject({ etag: '1', contentType: '1' })
    expect(await fetchFrom(twice(429))).toMatchObject({ retryAfterSeconds: 1 })
    expect(await fetchFrom(twice(302))).toMatchObject({ outcome: 'bad_redirect' })
  })

  it.each([false, true])('a 403 keeps its first 4 KiB, decompressed: %s', async compressed => {
    const text = Buffer.from(`<Error><Code>AccessDenied</Code></Error>${' '.repeat(8_000)}`)
    const got = await fetchFrom((_, response) => {
      if (compressed) response.setHeader('content-encoding', 'gzip')
      response.writeHead(403).end(compressed ? zlib.gzipSync(text) : text)
    })
    const { body } = got as { body: Buffer }
    expect(body.toString()).toMatch(/^<Error><Code>AccessDenied/)
    expect(body).toHaveLength(4_096)
  })

  it('an endless error page is cut, and the outcome stays', async () => {
    const got = await fetchFrom((_, response) => {
      response.writeHead(404)
      const timer = setInterval(() => response.write(Buffer.alloc(8_192)), 2)
      response.once('close', () => clearInterval(timer))
    })
    expect(got).toMatchObject({ outcome: 'absent', status: 404 })
  })
})

describe('time', () => {
  async function timed(answer: Answer, more: Partial<FetchOptions> = {}) {
    const { url } = await startOrigin(answer)
    const started = performance.now()
    const asked = () =>
      createFetcherTo(url).fetchDocument(FILE_URL, { ...fetchOptions, deadlineMs: 300, ...more })
    const outcome = toOutcome(await runWithin(800, asked))
    return { outcome, ms: performance.now() - started }
  }

  it('a silent server is left at the deadline', async () => {
    const { outcome, ms } = await timed(() => {})
    expect(outcome).toBe('timeout')
    expect(ms).toBeGreaterThan(280)
  })

  it('a server that sends slowly gains no time', async () => {
    const { outcome } = await timed((_, response) => writeEndlessly(response, Buffer.from(' ')))
    expect(outcome).toBe('timeout')
  })

  it('redirects share one deadline', async () => {
    const { outcome } = await timed(
      async (_, response, path) => {
        await pause(120)
        response.writeHead(302, { location: `${path}x` }).end()
      },
      { maxRedirects: 20 },
    )
    expect(outcome).toBe('timeout')
  })

  it('waiting for a free slot does not count against a server', async () => {
    const served = await startOrigin(async (_, response) => {
      await pause(200)
      response.end('{}')
    })
    const fetcher = createFetcherTo(served.url)
    const all = Array.from({ length: 15 }, (_, n) =>
      fetcher.fetchDocument(`${FILE_URL}?${n}`, { ...fetchOptions, deadlineMs: 2_500 }),
    )
    expect((await Promise.all(all)).map(toOutcome)).toEqual(all.map(() => 'ok'))
  })
})

describe('connections', () => {
  async function rawServer(onConnection: (socket: net.Socket, n: number) => void) {
    let n = 0
    const sockets = new Set<net.Socket>()
    const server = net.createServer(socket => {
      sockets.add(socket.on('error', () => {}))
      onConnection(socket, n++)
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    closeAfterTest({
      async close() {
        for (const socket of sockets) socket.destroy()
        server.close()
      },
    })
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'

  it('no listener, a hang-up and an answer that breaks off are failed connections', async () => {
    const nobody = await createFetcherTo('http://127.0.0.1:1').fetchDocument(FILE_URL, fetchOptions)
    expect(nobody).toMatchObject({ outcome: 'connection_failed', detail: expect.any(String) })
    expect((nobody as { detail: string }).detail).not.toContain('127')
    for (const said of [undefined, ok.replace('2\r\n', '9\r\n')]) {
      const url = await rawServer(socket => {
        socket.once('data', () => (said ? socket.end(said) : socket.destroy()))
      })
      expect(toOutcome(await createFetcherTo(url).fetchDocument(FILE_URL, fetchOptions))).toBe(
        'connection_failed',
      )
    }
  })

  it.each([
    ['another protocol', 'SSH-2.0-OpenSSH\r\n'],
    ['lines that end like those of a text file', ok.replaceAll('\r', '')],
    ['two lengths', ok.replace('\r\n\r\n', '\r\ncontent-length: 2\r\n\r\n')],
    ['a blank in the name of a header', ok.replace('length:', 'length :')],
    ['an invitation to go on', `HTTP/1.1 100 Continue\r\n\r\n${ok}`],
    ['another protocol that was not asked for', 'HTTP/1.1 101 OK\r\nupgrade: x\r\n\r\n'],
  ])('an answer that cannot be read is named as such, and asked for once: %s', async (_, said) => {
    let asked = 0
    const url = await rawServer(socket => {
      socket.once('data', () => {
        asked++
        socket.end(said)
      })
    })
    expect(await createFetcherTo(url).fetchDocument(FILE_URL, fetchOptions)).toMatchObject({
      outcome: 'not_http',
      detail: 'answers with something that is not valid HTTP',
    })
    expect(asked).toBe(1)
  })

  it('bytes left over on a kept connection do not spoil the next request', async () => {
    const url = await rawServer(socket => socket.on('data', () => socket.write(`${ok}{}`)))
    const fetcher = createFetcherTo(url)
    for (let i = 0; i < 3; i++)
      expect(toOutcome(await fetcher.fetchDocument(FILE_URL, fetchOptions))).toBe('ok')
  })

  it.each<[string, Record<string, string | string[]>]>([
    ['a long policy', { 'content-security-policy': 'x'.repeat(60_000) }],
    [
      'many cookies',
      { 'set-cookie': Array.from({ length: 80 }, (_, i) => `k${i}=${'v'.repeat(700)}`) },
    ],
  ])('headers of up to 64 KiB are read: %s', async (_, headers) => {
    const got = await fetchFrom((_, response) => response.writeHead(200, headers).end('{}'))
    expect(toOutcome(got)).toBe('ok')
  })

  it.each([
    [66_000, 200],
    [200_000, 200],
    [66_000, 404],
    [300_000, undefined],
  ])('headers of %i bytes are named as too long', async (bytes, status) => {
    const served = await startOrigin((_, response) =>
      response.writeHead(status ?? 200, { 'x-long': 'x'.repeat(bytes) }).end('{}'),
    )
    const got = await createFetcherTo(served.url).fetchDocument(FILE_URL, fetchOptions)
    expect(got).toMatchObject({ outcome: 'long_headers', detail: expect.stringMatching(/headers/) })
    expect(got.status).toBe(status)
    await expect.poll(() => served.open.size).toBe(0)
  })

  it('the second file of a domain uses the connection of the first', async () => {
    const served = await startOrigin((_, response) => response.end('{}'))
    const fetcher = createFetcherTo(served.url)
    await fetcher.fetchDocument(FILE_URL, fetchOptions)
    await fetcher.fetchDocument('https://acme.example/.well-known/adagents.json', fetchOptions)
    expect(served.connections).toBe(1)
  })

  it('a stale kept connection is replaced without a failure', async () => {
    const url = await rawServer((socket, n) => {
      let requests = 0
      socket.on('data', () => (n === 0 && requests++ > 0 ? socket.destroy() : socket.write(ok)))
    })
    const fetcher = createFetcherTo(url)
    for (let i = 0; i < 3; i++)
      expect(toOutcome(await fetcher.fetchDocument(FILE_URL, fetchOptions))).toBe('ok')
  })

  it('many domains leave few connections open', async () => {
    const served = await startOrigin((_, response) => response.end('{}'))
    const fetcher = createFetcherTo(served.url, { maxIdle: 5 })
    for (let i = 0; i < 100; i++)
      await fetcher.fetchDocument(`https://d${i}.example/`, fetchOptions)
    await expect.poll(() => served.open.size).toBeLessThanOrEqual(5)
    await fetcher.close()
    await expect.poll(() => served.open.size).toBe(0)
  })

  it('closing ends requests under way and later ones', async () => {
    const served = await startOrigin(() => {})
    const fetcher = createFetcherTo(served.url)
    const waiting = [1, 2].map(n => fetcher.fetchDocument(`${FILE_URL}?${n}`, fetchOptions))
    await expect.poll(() => served.asked.length).toBe(1)
    await fetcher.close()
    const late = fetcher.fetchDocument(FILE_URL, fetchOptions)
    const all = await Promise.all([...waiting, late])
    expect(all.map(toOutcome)).toEqual(Array(3).fill('connection_failed'))
  })

  it('an invalid or private address is refused without a connection', async () => {
    const served = await startOrigin((_, response) => response.end('{}'))
    const fetcher = createFetcherTo(served.url)
    for (const url of ['acme', 'http://acme.example/', 'https://127.0.0.1/', 'https://[::1]/'])
      expect(toOutcome(await fetcher.fetchDocument(url, fetchOptions))).toBe('refused')
    expect(served.connections).toBe(0)
  })
})

describe('politeness', () => {
  it.each([1, 3])('a host gets at most %i requests at a time', async hostConcurrency => {
    let [inside, most] = [0, 0]
    const served = await startOrigin(async (_, response) => {
      most = Math.max(most, ++inside)
      await pause(5)
      inside--
      response.end('{}')
    })
    const fetcher = createFetcherTo(served.url, { hostConcurrency })
    const urls = Array.from({ length: 20 }, (_, i) => `${FILE_URL}?${i}`)
    const all = await Promise.all(urls.map(url => fetcher.fetchDocument(url, fetchOptions)))
    expect(all.every(got => got.kind === 'ok')).toBe(true)
    expect(most).toBe(hostConcurrency)
  })

  it('hosts that share an address wait for each other, and leave no state behind', async () => {
    const politeness = new Politeness(2, 3)
    let [inside, most] = [0, 0]
    await Promise.all(
      Array.from({ length: 200 }, async (_, i) => {
        const [host, address] = [`host-${i % 7}`, `address-${i % 2}`]
        await politeness.enter(host, address)
        if (address === 'address-0') most = Math.max(most, ++inside)
        await pause(i % 3)
        if (address === 'address-0') inside--
        politeness.leave(host, address)
      }),
    )
    expect(most).toBe(3)
    expect(politeness.size).toBe(0)
  })
})
