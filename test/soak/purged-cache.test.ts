import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CachePurger, openCachePurger } from '../../jobs/indexer/cache-purger.ts'
import type { Loop } from '../../jobs/indexer/loops.ts'
import { silentLog } from '../../pipeline/core/log.ts'
import { readOverNight } from '../support/checks/cached-night.ts'
import {
  buildBrandSave,
  buildOrganizationWrite,
  buildProofWrite,
} from '../support/fixtures/submissions.ts'
import { waitUntil } from '../support/processes/command.ts'
import { openRegistry, type TestRegistry } from '../support/registry/app.ts'
import { hasVarnish, startVarnish } from '../support/servers/varnish.ts'

/** Without purging, an answer could be two hours old. */
const SHARED_S = 3_600
/** Time that a commit, its purge and an answer may be on their way on a busy machine. */
const SLACK_MS = 1_500
/**
 * Time after which what changed is not purged again: until then an old answer may stand that reached the cache after
 * its keys were purged.
 */
const AGAIN_MS = 6_000
const domains = ['a.example', 'b.example', 'c.example', 'd.example']

/** Names that a brand has had, each with the time until which the API answered it. */
const names = new Map<string, { name: string; until: number }[]>()
let registry: TestRegistry
let varnish: Awaited<ReturnType<typeof startVarnish>>
let purger: CachePurger
let purging: Loop | undefined

describe.skipIf(!hasVarnish)('a cache that is purged after commits', () => {
  beforeAll(async () => {
    registry = await openRegistry({ settings: { SHARED_CACHE_S: String(SHARED_S) } })
    await registry.sequencer.commit({
      observations: [],
      submissions: [
        buildOrganizationWrite('Acme'),
        ...domains.map(domain => buildProofWrite('Acme', domain)),
      ],
    })
    for (const domain of domains) await rename(domain, 0)
    const origin = new URL(await registry.app.listen({ host: '127.0.0.1', port: 0 }))
    varnish = await startVarnish(origin)
    purger = openCachePurger(registry.sequencer.serving, varnish.base, silentLog)!
    purging = purger.start()
    await waitUntil(async () => (await askBrand(domains[0]!)).status === 200, 60)
  })

  afterAll(async () => {
    purging?.stop()
    await varnish?.close()
    await registry?.close()
  })

  test('gives no wrong answer over a night of changes, and most without the API', async () => {
    let late = 0
    const { answers, hits, wrong } = await readOverNight({
      domains,
      ask: askBrand,
      rename,
      isRecent: (...read) => {
        if (!isWithin(SLACK_MS, ...read)) late += 1
        return isWithin(AGAIN_MS, ...read)
      },
    })
    expect(wrong).toEqual([])
    expect(late / answers).toBeLessThan(0.02)
    expect(hits / answers).toBeGreaterThan(0.9)
    if (process.env.SHOW_RATES)
      process.stderr.write(`${JSON.stringify({ answers, hits, a_second: answers / 20 })}\n`)
  }, 60_000)

  test('keeps the answers about another domain, and forgets pages', async () => {
    const others = [
      '/api/brands/resolve?domain=b.example',
      '/api/registry/publisher?domain=b.example',
    ]
    const page = '/brand/b.example'
    // Its old answer is cached, so that the new name is read only after the purge.
    await waitForHits([...others, page, '/api/brands/resolve?domain=a.example'])
    await rename('a.example', 1_000_000)
    await waitUntil(async () => (await askBrand('a.example')).name === 'Name 1000000', 60)
    expect(await Promise.all([...others, page].map(ask))).toEqual(['hit', 'hit', 'miss'])
  })

  test('keeps lists until another snapshot is published', async () => {
    const list = '/api/brands/registry?limit=10'
    await registry.publish()
    purger.noteSnapshot()
    await waitForHits([list])
    await rename('a.example', 2_000_000)
    expect([await ask(list), await readText(list)]).toEqual([
      'hit',
      expect.not.stringContaining('Name 2000000'),
    ])
    await registry.publish()
    purger.noteSnapshot()
    await waitUntil(async () => (await readText(list)).includes('Name 2000000'), 60)
  })

  test('forgets nothing for others than the indexer, nor what is no key', async () => {
    const purge = async (keys: string, more: Record<string, string> = {}) => {
      const headers = { 'surrogate-key': keys, ...more }
      return (await fetch(varnish.base, { method: 'PURGE', headers })).status
    }
    expect(await purge('nothing')).toBe(200)
    expect(await purge('a(')).toBe(400)
    expect(await purge('nothing', { 'x-forwarded-for': '203.0.113.1' })).toBe(405)
    const answer = await fetch(`${varnish.base}/api/brands/resolve?domain=a.example`)
    expect(answer.headers.has('surrogate-key')).toBe(false)
  })
})

async function readText(path: string): Promise<string> {
  return (await fetch(varnish.base + path)).text()
}

/** Waits until the cache has answers, and no purge of a change before is on its way. */
async function waitForHits(paths: readonly string[]): Promise<void> {
  await pause(AGAIN_MS)
  const areHits = async () => (await Promise.all(paths.map(ask))).every(found => found === 'hit')
  await waitUntil(async () => (await areHits()) && (await areHits()), 60)
}

async function ask(path: string): Promise<string | null> {
  return (await fetch(varnish.base + path)).headers.get('x-cache')
}

async function askBrand(domain: string) {
  const answer = await fetch(`${varnish.base}/api/brands/resolve?domain=${domain}`)
  const { brand_name: name } = (await answer.json()) as { brand_name?: string }
  return { status: answer.status, cache: answer.headers.get('x-cache'), name }
}

/** Renames a brand, and remembers when its old name has ended. */
async function rename(domain: string, turn: number): Promise<void> {
  const name = `Name ${turn}`
  const known = names.get(domain) ?? []
  names.set(domain, known)
  known.push({ name, until: Number.POSITIVE_INFINITY })
  await registry.sequencer.commit({
    observations: [],
    submissions: [buildBrandSave('Acme', domain, name)],
  })
  const before = known.at(-2)
  if (before) before.until = performance.now()
}

/** Tells whether a brand had this name when it was asked for, or so many milliseconds before. */
function isWithin(ms: number, domain: string, name: string | undefined, asked: number): boolean {
  const known = names.get(domain) ?? []
  return known.some(({ name: had, until }) => had === name && until >= asked - ms)
}
