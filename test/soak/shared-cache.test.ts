import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readOverNight } from '../support/checks/cached-night.ts'
import {
  buildBrandSave,
  buildOrganizationWrite,
  buildProofWrite,
} from '../support/fixtures/submissions.ts'
import { waitUntil } from '../support/processes/command.ts'
import { openRegistry, type TestRegistry } from '../support/registry/app.ts'
import { hasVarnish, startVarnish } from '../support/servers/varnish.ts'

const SHARED_S = 1
/** Time that an answer may be on its way on a busy machine, and by which headers round. */
const SLACK_MS = 1_500
const domains = ['a.example', 'b.example', 'c.example', 'd.example']

/** Names that a brand has had, each with the time from which the API may have answered it. */
const names = new Map<string, { name: string; from: number; until: number }[]>()
let registry: TestRegistry
let varnish: Awaited<ReturnType<typeof startVarnish>>
let base: string

describe.skipIf(!hasVarnish)(
  'a cache in front of the API, as docs/operate/varnish.vcl sets it up',
  () => {
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
      base = varnish.base
      await waitUntil(async () => (await ask(domains[0]!)).status === 200, 60)
    })

    afterAll(async () => {
      await varnish.close()
      await registry.close()
    })

    test('answers nothing that is older than it may be over a night of changes, and most without the API', async () => {
      const { answers, hits, wrong } = await readOverNight({ domains, ask, rename, isRecent })
      expect(wrong).toEqual([])
      expect(answers).toBeGreaterThan(100)
      expect(hits / answers).toBeGreaterThan(0.5)
    }, 60_000)

    test('answers scripts of any origin, and with no id of another request', async () => {
      const url = `${base}/api/brands/resolve?domain=${domains[0]}`
      const read = async (headers: Record<string, string> = {}) =>
        (await fetch(url, { headers })).headers
      // What the night left is over: the first answer is new, or revalidates what there is.
      await pause(3 * SHARED_S * 1_000)
      expect((await read()).get('x-request-id')).toMatch(/./)
      const hit = await read({ origin: 'https://page.example' })
      expect(hit.get('x-cache')).toBe('hit')
      expect(hit.get('access-control-expose-headers')).toMatch(/etag.*x-registry-seq/)
      expect(hit.has('x-request-id')).toBe(false)
    })

    test('shares no answer of a caller with a credential', async () => {
      const authorization = `Bearer ${await registry.createKey('Readers')}`
      for (let turn = 0; turn < 3; turn += 1)
        expect((await ask(domains[0]!, { authorization })).cache).toBe('miss')
    })

    test('keeps no error', async () => {
      for (let turn = 0; turn < 3; turn += 1)
        expect(await ask('nobody.example')).toMatchObject({ status: 404, cache: 'miss' })
    })
  },
)

async function ask(domain: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${base}/api/brands/resolve?domain=${domain}`, { headers })
  const { brand_name: name } = (await answer.json()) as { brand_name?: string }
  return { status: answer.status, cache: answer.headers.get('x-cache'), name }
}

/** Renames a brand, and remembers when its old name has ended. */
async function rename(domain: string, turn: number): Promise<void> {
  const name = `Name ${turn}`
  const known = names.get(domain) ?? []
  names.set(domain, known)
  known.push({ name, from: performance.now(), until: Number.POSITIVE_INFINITY })
  await registry.sequencer.commit({
    observations: [],
    submissions: [buildBrandSave('Acme', domain, name)],
  })
  const before = known.at(-2)
  if (before) before.until = performance.now()
}

/** Tells whether a brand had this name at most twice `SHARED_CACHE_S` ago. */
function isRecent(domain: string, name: string | undefined, asked: number): boolean {
  const oldest = asked - 2 * SHARED_S * 1_000 - SLACK_MS
  return (names.get(domain) ?? []).some(known => known.name === name && known.until >= oldest)
}
