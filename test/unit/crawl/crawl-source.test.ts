import { describe, expect, it, test } from 'vitest'
import { limits } from '../../../pipeline/core/limits.ts'
import { crawlBatch, crawlEach, createHostLimiter } from '../../../pipeline/crawl/crawl-batch.ts'
import { crawlSource, hashContent } from '../../../pipeline/crawl/crawl-source.ts'
import type { Failure } from '../../../pipeline/fetch/failures.ts'
import type {
  Fetcher,
  FetchOptions,
  FetchResult,
  PostOptions,
  PostResult,
} from '../../../pipeline/fetch/http.ts'
import { type CrawlTarget, Observation } from '../../../pipeline/model/observation.ts'
import { readObservation } from '../../../pipeline/parse/read-observation.ts'
import { testClock } from '../../support/worlds/clock.ts'

const clock = testClock('2026-11-20T03:00Z')
const ours = { clock, limits, protocolName: 'proto' }
const brand: CrawlTarget = { kind: 'brand.json', location: 'acme.example' }
const url = 'https://acme.example/.well-known/brand.json'
const text = '{"agents":[{"type":"brand","url":"https://agent.acme.example"}]}'

const answer = (body: string, more: Partial<FetchResult> = {}): FetchResult =>
  ({ kind: 'ok', status: 200, url, body: Buffer.from(body), etag: '"1"', ...more }) as FetchResult

function crawl(fetched: FetchResult, target: CrawlTarget = brand) {
  const fetcher = { fetchDocument: async () => fetched }
  return crawlSource(target, { fetcher, clock, limits }).then(observation =>
    Observation.parse(readObservation(observation, limits)),
  )
}

/** Returns the options that the fetcher gets. */
async function findFetchOptions(target: CrawlTarget): Promise<FetchOptions & { url: string }> {
  const asked: (FetchOptions & { url: string })[] = []
  const fetchDocument = async (url: string, ask: FetchOptions) => {
    asked.push({ url, ...ask })
    return answer(text)
  }
  await crawlSource(target, { fetcher: { fetchDocument }, clock, limits })
  return asked[0]!
}

describe('requests', () => {
  test.each<[string, CrawlTarget, Partial<FetchOptions> & { url: string }]>([
    [
      'a well-known file follows redirects within its site',
      { ...brand, etag: '"7"', last_modified: 'Fri, 20 Nov 2026 00:00:00 GMT' },
      {
        url,
        redirects: 'same-site',
        maxRedirects: limits.httpRedirects,
        maxBytes: limits.brandBytes,
        deadlineMs: limits.fetchMs,
        etag: '"7"',
        lastModified: 'Fri, 20 Nov 2026 00:00:00 GMT',
      },
    ],
    [
      'a file that a domain points to must be where it was said, and may be larger',
      { kind: 'adagents.json', location: 'https://cdn.example/a.json' },
      {
        url: 'https://cdn.example/a.json',
        redirects: 'none',
        maxRedirects: 0,
        maxBytes: limits.adagentsPointerBytes,
      },
    ],
    [
      'an adagents.json has a bound of its own',
      { kind: 'adagents.json', location: 'acme.example' },
      {
        url: 'https://acme.example/.well-known/adagents.json',
        redirects: 'same-site',
        maxBytes: limits.adagentsBytes,
      },
    ],
  ])('%s', async (_name, target, expected) => {
    expect(await findFetchOptions(target)).toMatchObject(expected)
  })
})

describe('an observation', () => {
  it('of a file has its document, bytes and validators', async () => {
    const observation = await crawl(
      answer(text, { url: 'https://www.acme.example/.well-known/brand.json' }),
    )
    const { document, body, ...rest } = observation
    expect(document).toMatchObject({ variant: 'brand_agent' })
    expect(Buffer.from(body!).toString()).toBe(text)
    expect(rest).toEqual({
      ...brand,
      observed_at: clock.now(),
      outcome: 'ok',
      status: 200,
      resolved_url: 'https://www.acme.example/.well-known/brand.json',
      bytes: text.length,
      hash: hashContent(Buffer.from(text)),
      faults: [],
      etag: '"1"',
    })
  })

  it('of a large file has all its bytes too', async () => {
    const large = JSON.stringify({ agents: [], version: 'x'.repeat(200_000) })
    const { body } = await crawl(answer(large))
    expect(Buffer.from(body!).toString()).toBe(large)
  })

  it('of known bytes is unchanged', async () => {
    const observation = await crawl(answer(text), {
      ...brand,
      hash: hashContent(Buffer.from(text)),
    })
    expect(observation).toMatchObject({ outcome: 'unchanged', status: 200, etag: '"1"' })
    expect(observation).not.toHaveProperty('document')
  })

  it('of a 304 is unchanged', async () => {
    const observation = await crawl({ kind: 'unchanged', status: 304, url, etag: '"2"' })
    expect(observation).toEqual({
      ...brand,
      observed_at: clock.now(),
      outcome: 'unchanged',
      status: 304,
      etag: '"2"',
    })
  })

  test.each([
    ['not_json', '<html>'],
    ['unusable', '{"colour":"red"}'],
  ])('of a file that is %s has faults and a hash, and no validators', async (outcome, body) => {
    const observation = await crawl(answer(body))
    expect(observation).toMatchObject({ outcome, status: 200, hash: expect.any(String) })
    expect(observation.faults!.length).toBeGreaterThan(0)
    for (const key of ['document', 'body', 'etag', 'last_modified']) {
      expect(observation).not.toHaveProperty(key)
    }
  })

  test.each([
    [
      'an unknown content coding',
      { outcome: 'undecodable', status: 200, detail: 'answers with an unknown content coding “x”' },
      'answers with an unknown content coding “x”: send it as gzip, or as it is',
    ],
    [
      'a robots.txt in one',
      {
        outcome: 'undecodable',
        file: 'robots.txt',
        detail: 'robots.txt: answers with an unknown content coding “x”',
      },
      'robots.txt: answers with an unknown content coding “x”: send it as gzip, or as it is',
    ],
    [
      'a robots.txt that fails',
      { outcome: 'server_error', file: 'robots.txt', detail: 'robots.txt: answered 503' },
      'robots.txt: answered 503: serve it, or answer 404 if there is none',
    ],
  ] as const)('of %s names it', async (_, failed, message) => {
    const observation = await crawl({ kind: 'failed', url, ...failed })
    expect(observation).toMatchObject({ outcome: failed.outcome, faults: [{ message }] })
  })

  test.each(['dns_failed', 'connection_failed', 'refused', 'timeout'] as const)(
    'of a robots.txt that was %s tells no more than of the file itself',
    async outcome => {
      const failed = { kind: 'failed', url, outcome, detail: '' } as const
      const observation = await crawl({ ...failed, file: 'robots.txt' })
      expect(observation).toEqual(await crawl(failed))
    },
  )

  it('of a failure has its outcome, and when to retry', async () => {
    const failed = { kind: 'failed', outcome: 'throttled', status: 429, url, detail: '' } as const
    expect(await crawl({ ...failed, retryAfterSeconds: 120 })).toEqual({
      ...brand,
      observed_at: clock.now(),
      outcome: 'throttled',
      status: 429,
      retry_after_s: 120,
    })
  })
})

/** Builds a fetcher without a request budget. */
function buildUnlimitedFetcher(methods: Pick<Fetcher, 'fetchDocument' | 'call'>) {
  return {
    ...methods,
    for: () => methods,
    reserve: async (_: string, remaining: number) => ({ site: '', remaining }),
    refund() {},
  }
}

describe('a batch', () => {
  const targets: CrawlTarget[] = ['a.example', 'b.example', 'c.example'].flatMap(location => [
    { kind: 'brand.json', location },
    { kind: 'adagents.json', location },
  ])

  /** Counts what is under way, in all and by host. */
  function slowFetcher() {
    const open: string[] = []
    const most = { hosts: 0, filesOfOneHost: 0 }
    const fetchDocument = async (url: string) => {
      const { host } = new URL(url)
      open.push(host)
      most.hosts = Math.max(most.hosts, new Set(open).size)
      most.filesOfOneHost = Math.max(most.filesOfOneHost, open.filter(h => h === host).length)
      await new Promise(done => setTimeout(done, 5))
      open.splice(open.indexOf(host), 1)
      return answer(text, { url })
    }
    const call = () => Promise.reject(new Error('no agent is among them'))
    return { fetcher: buildUnlimitedFetcher({ fetchDocument, call }), most }
  }

  it('fetches the files of one host in turn, several hosts at a time', async () => {
    const { fetcher, most } = slowFetcher()
    const observation = await crawlBatch(targets, {
      ...ours,
      fetcher,
      limitHost: createHostLimiter(2),
    })
    expect(observation.map(({ kind, location }) => ({ kind, location }))).toEqual(targets)
    expect(most).toEqual({ hosts: 2, filesOfOneHost: 1 })
  })

  it('asks fewer hosts at a time for shared files, which may be the largest', async () => {
    const { fetcher, most } = slowFetcher()
    const pointed = Array.from({ length: 40 }, (_, n) => ({
      kind: 'adagents.json' as const,
      location: `https://cdn${n}.example/a.json`,
    }))
    await crawlBatch([...pointed, ...targets], {
      ...ours,
      fetcher,
      limitHost: createHostLimiter(100),
    })
    expect(most.hosts).toBe(16 + new Set(targets.map(({ location }) => location)).size)
  })

  it('stops asking a host for agents after some of them did not answer', async () => {
    const asked: string[] = []
    const call = async (url: string): Promise<PostResult> => {
      asked.push(url)
      return { kind: 'failed', outcome: 'timeout', url, detail: '', tookMs: 9 }
    }
    const agents = Array.from({ length: 20 }, (_, i) => `https://platform.example/${i}/mcp`)
    const observation = await crawlBatch(
      [...agents, 'https://other.example/mcp'].map(location => ({ kind: 'agent', location })),
      {
        ...ours,
        fetcher: buildUnlimitedFetcher({ ...slowFetcher().fetcher, call }),
        limitHost: createHostLimiter(1),
      },
    )
    expect(observation.map(({ location }) => location)).toEqual([
      ...agents,
      'https://other.example/mcp',
    ])
    expect(new Set(observation.map(({ outcome }) => outcome))).toEqual(new Set(['timeout']))
    expect(asked).toEqual([...agents.slice(0, 5), 'https://other.example/mcp'])
  })

  it('defers an agent where a whole probe has no room', async () => {
    const { fetcher } = slowFetcher()
    const retryAfterSeconds = 90
    const full: Failure = { outcome: 'deferred', detail: '', retryAfterSeconds }
    const location = 'https://busy.example/mcp'
    const [observation] = await crawlBatch([{ kind: 'agent', location }], {
      ...ours,
      fetcher: { ...fetcher, reserve: async () => full },
      limitHost: createHostLimiter(1),
    })
    expect(observation).toMatchObject({ location, outcome: 'deferred', retry_after_s: 90 })
  })

  it('that is cancelled has reported what it has', async () => {
    const { fetcher } = slowFetcher()
    const stop = new AbortController()
    const locations: string[] = []
    const deps = { ...ours, fetcher, limitHost: createHostLimiter(1), stopping: stop.signal }
    await crawlEach(targets, deps, ({ location }) => {
      locations.push(location)
      if (location === 'b.example') stop.abort()
    })
    expect(locations).toEqual(['a.example', 'a.example', 'b.example'])
  })

  it('that is cancelled lets an agent answer that is being asked', async () => {
    const stop = new AbortController()
    const ended: boolean[] = []
    const call = async (url: string, { signal }: PostOptions): Promise<PostResult> => {
      stop.abort()
      ended.push(signal?.aborted ?? false)
      return { kind: 'failed', outcome: 'connection_failed', url, detail: '', tookMs: 9 }
    }
    const [observation] = await crawlBatch(
      [{ kind: 'agent', location: 'https://agent.example/mcp' }],
      {
        ...ours,
        fetcher: buildUnlimitedFetcher({ ...slowFetcher().fetcher, call }),
        limitHost: createHostLimiter(1),
        stopping: stop.signal,
      },
    )
    expect(observation).toMatchObject({ kind: 'agent', outcome: 'connection_failed' })
    expect(ended.length).toBeGreaterThan(0)
    expect(ended).not.toContain(true)
  })

  it('stops fetching while its results wait to be accepted', async () => {
    const { fetcher } = slowFetcher()
    const locations: string[] = []
    let makeRoom = () => {}
    const room = new Promise<void>(resolve => (makeRoom = resolve))
    const crawled = crawlEach(
      targets,
      { ...ours, fetcher, limitHost: createHostLimiter(3) },
      ({ location }) => {
        locations.push(location)
        return room
      },
    )
    await new Promise(done => setTimeout(done, 100))
    expect(locations.sort()).toEqual(['a.example', 'b.example', 'c.example'])
    makeRoom()
    await crawled
    expect(locations.sort()).toEqual(targets.map(({ location }) => location).sort())
  })

  it('with an internal error rejects once everything has ended', async () => {
    const { fetcher } = slowFetcher()
    let ended = 0
    const deps = { ...ours, fetcher, limitHost: createHostLimiter(3) }
    const batch = crawlEach(targets, deps, ({ location }) => {
      ended += 1
      if (location === 'a.example') throw new Error('ours')
    })
    await expect(batch).rejects.toThrow('ours')
    expect(ended).toBe(3)
  })
})
