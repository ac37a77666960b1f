import zlib from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { Answer } from '../../support/servers/origin.ts'
import {
  createFetcherTo,
  FILE_URL,
  fetchFrom,
  fetchOptions,
  startOrigin,
  toOutcome,
  writeEndlessly,
} from '../../support/worlds/fetching.ts'

describe('bodies', () => {
  const json = Buffer.from(JSON.stringify({ text: 'x'.repeat(50_000) }))
  const noise = Buffer.from(Array.from({ length: 60_000 }, (_, i) => (i * i * 31) >> 3))
  const codings: [string, (bytes: Buffer) => Buffer][] = [
    ['gzip', zlib.gzipSync],
    ['x-gzip', zlib.gzipSync],
    ['deflate', zlib.deflateSync],
    ['deflate', zlib.deflateRawSync],
    ['br', zlib.brotliCompressSync],
    ['identity', bytes => bytes],
  ]
  const quick = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }
  const quickBrotli = (bytes: Buffer) => zlib.brotliCompressSync(bytes, quick)
  const sent =
    (coding: string, bytes: Buffer): Answer =>
    (_, response) => {
      response.writeHead(200, { 'content-encoding': coding }).end(bytes)
    }

  it.each(codings)('a body in %s is decoded', async (coding, encode) => {
    for (const bytes of [json, noise]) {
      const got = await fetchFrom(sent(coding, encode(bytes)))
      expect(got.kind === 'ok' && got.body.equals(bytes)).toBe(true)
    }
  })

  it.each(codings)(
    'a body in %s that is one byte too long is too large',
    async (coding, encode) => {
      for (const bytes of [json, noise]) {
        const answer = sent(coding, encode(bytes))
        expect(toOutcome(await fetchFrom(answer, { maxBytes: bytes.length - 1 }))).toBe('too_large')
        expect(toOutcome(await fetchFrom(answer, { maxBytes: bytes.length }))).toBe('ok')
      }
    },
  )

  it('an empty body is an empty document', async () => {
    expect(await fetchFrom((_, response) => response.end())).toMatchObject({
      body: Buffer.alloc(0),
    })
  })

  it('a long body is read whole, with its length announced and without', async () => {
    const long = Buffer.alloc(3_000_000, noise)
    const options = { maxBytes: long.length }
    const whole = await fetchFrom((_, response) => {
      response.writeHead(200, { 'content-length': long.length }).end(long)
    }, options)
    const chunked = await fetchFrom((_, response) => {
      response.write(long.subarray(0, 1_234_567))
      response.end(long.subarray(1_234_567))
    }, options)
    for (const got of [whole, chunked])
      expect(got.kind === 'ok' && got.body.equals(long)).toBe(true)
  })

  it('a long body that ends before its announced length is no document', async () => {
    const got = await fetchFrom(
      (request, response) => {
        response.writeHead(200, { 'content-length': 3_000_000 }).write(Buffer.alloc(2_000_000))
        setTimeout(() => request.socket.destroy(), 50)
      },
      { maxBytes: 5_000_000 },
    )
    expect(got.kind).toBe('failed')
  })

  it('a body whose announced length is too large is not read', async () => {
    const got = await fetchFrom((_, response) => {
      response.writeHead(200, { 'content-length': 100_001 }).flushHeaders()
    })
    expect(toOutcome(got)).toBe('too_large')
  })

  it('an endless body is cut off at the limit', async () => {
    const served = await startOrigin((_, response) =>
      writeEndlessly(response, Buffer.alloc(10_000, ' ')),
    )
    expect(toOutcome(await createFetcherTo(served.url).fetchDocument(FILE_URL, fetchOptions))).toBe(
      'too_large',
    )
    await expect.poll(() => served.open.size).toBe(0)
  })

  it.each([
    ['gzip', zlib.gzipSync],
    ['br', quickBrotli],
  ] as const)('a %s bomb is stopped without being unpacked', async (coding, encode) => {
    const bomb = encode(Buffer.alloc(200_000_000))
    const before = process.memoryUsage()
    const answer = sent(coding, bomb)
    expect(toOutcome(await fetchFrom(answer, { maxBytes: 5_000_000 }))).toBe('too_large')
    const after = process.memoryUsage()
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(30_000_000)
  })

  it('an endless bomb is stopped too', async () => {
    const served = await startOrigin((_, response) => {
      response.setHeader('content-encoding', 'gzip')
      const gzip = zlib.createGzip()
      gzip.pipe(response)
      const timer = setInterval(() => gzip.write(Buffer.alloc(1_000_000)), 1)
      response.once('close', () => clearInterval(timer))
    })
    expect(toOutcome(await createFetcherTo(served.url).fetchDocument(FILE_URL, fetchOptions))).toBe(
      'too_large',
    )
    await expect.poll(() => served.open.size).toBe(0)
  })

  it('a body in another coding than announced, or in one not accepted, is an error', async () => {
    for (const [coding, bytes] of [
      ['gzip', json],
      ['br', noise],
      ['gzip', zlib.gzipSync(json).subarray(0, 60)],
      ['gzip, gzip', json],
      ['gzip, gzip', zlib.gzipSync(json)],
      ['zstd', json],
    ] as const) {
      expect(toOutcome(await fetchFrom(sent(coding, bytes)))).toBe('undecodable')
    }
  })

  it.each([
    ['aws-chunked', '“aws-chunked”'],
    ['gzip, AWS-Chunked', '“aws-chunked”'],
    ['utf-8', '“utf-8”'],
    ['none', '“none”'],
    ['x'.repeat(100), 'an unknown content coding'],
    ['<script>', 'an unknown content coding'],
    ['gzip,gzip,gzip,gzip,gzip', 'more than 4 content codings'],
  ])('the unknown coding in %j is named', async (coding, named) => {
    expect(await fetchFrom(sent(coding, json))).toMatchObject({
      outcome: 'undecodable',
      status: 200,
      detail: expect.stringContaining(named),
    })
  })

  const gz = (bytes: Buffer) => zlib.gzipSync(bytes)
  const lists: [string | string[], (bytes: Buffer) => Buffer][] = [
    [['', 'br'], zlib.brotliCompressSync],
    [', br', zlib.brotliCompressSync],
    ['br,,', zlib.brotliCompressSync],
    ['identity, gzip', gz],
    ['GZIP ,identity', gz],
    ['identity,identity', bytes => bytes],
    [',', bytes => bytes],
    ['gzip, gzip', bytes => gz(gz(bytes))],
    [['gzip', 'gzip'], bytes => gz(gz(bytes))],
    ['gzip, br', bytes => zlib.brotliCompressSync(gz(bytes))],
    ['br, deflate', bytes => zlib.deflateSync(zlib.brotliCompressSync(bytes))],
    ['deflate, gzip', bytes => gz(zlib.deflateRawSync(bytes))],
  ]

  it.each(lists)('the codings %j are undone, the last one first', async (coding, encode) => {
    for (const bytes of [json, noise, Buffer.alloc(0)]) {
      const answer: Answer = (_, response) => {
        response.setHeader('content-encoding', coding).end(encode(bytes))
      }
      const got = await fetchFrom(answer)
      expect(got.kind === 'ok' && got.body.equals(bytes)).toBe(true)
      if (bytes.length === 0) continue
      expect(toOutcome(await fetchFrom(answer, { maxBytes: bytes.length - 1 }))).toBe('too_large')
    }
  })

  it('a bomb in several codings is stopped without being unpacked', async () => {
    const inner = Buffer.concat(Array.from({ length: 40 }, () => gz(Buffer.alloc(5_000_000))))
    const empty = Buffer.concat(Array.from({ length: 100_000 }, () => gz(Buffer.alloc(0))))
    const before = process.memoryUsage()
    for (const [coding, bytes] of [
      ['gzip, gzip, gzip', gz(gz(inner))],
      ['gzip, gzip', gz(empty)],
    ] as const) {
      const got = await fetchFrom(sent(coding, bytes), { maxBytes: 1_000_000 })
      expect(toOutcome(got)).toBe('too_large')
    }
    const after = process.memoryUsage()
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(30_000_000)
  })
})
