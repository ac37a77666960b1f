import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ALL_KEY } from '../../../pipeline/core/surrogate-keys.ts'
import { listPurgedKeys } from '../../../pipeline/serving/surrogate-keys.ts'
import { openRegistry, type TestRegistry } from '../../support/registry/app.ts'
import { nights } from '../../support/worlds/arbitrary-nights.ts'
import { NightRunner } from '../../support/worlds/night-runner.ts'
import { agents, brandDomains, publishers, savedDomains } from '../../support/worlds/world-files.ts'

const domains = [...new Set([...publishers, ...brandDomains, ...savedDomains])]
const requests = [
  ...domains.flatMap(domain => [
    `/api/brands/resolve?domain=${domain}`,
    `/api/brands/history?domain=${domain}`,
    `/brands/${domain}/brand.json`,
    `/api/brands/discovered/${domain}/revisions`,
    `/api/properties/resolve?domain=${domain}`,
    `/api/registry/publisher?domain=${domain}`,
    `/api/registry/lookup/domain/${domain}`,
    `/api/registry/lookup/property?type=domain&value=${domain}`,
    `/api/registry/publisher?domain=www.${domain}`,
    `/api/registry/lookup/domain/www.${domain}`,
  ]),
  ...[...agents, agents[0]!.replace('mcp', 'MCP')]
    .map(encodeURIComponent)
    .flatMap(agent => [
      `/api/registry/lookup/agent/${agent}/domains`,
      `/v1/agents/${agent}/publishers`,
      ...publishers.flatMap(domain => [
        `/api/registry/publisher/authorization?domain=${domain}&agent=${agent}`,
        `/api/registry/validate/property-authorization?agent_url=${agent}&identifier_type=domain&identifier_value=${domain}&explain=true`,
      ]),
    ]),
]

/** Members that tell of attempts to read a file: these change in a night without changes, and lapse, as an age does. */
const ofAttempts = new Set([
  'freshness',
  'checked_at',
  'fetched_at',
  'last_validated',
  'last_verified_at',
  'directory_indexed_at',
  'last_http_status',
  'last_crawled_at',
  'auto_crawl_triggered',
  'request_id',
])

interface Answer {
  keys: readonly string[]
  shown: string
}

async function askAll({ app }: TestRegistry): Promise<Map<string, Answer>> {
  const answers = new Map<string, Answer>()
  for (const url of requests) {
    const { statusCode, headers, body } = await app.inject(url)
    // Errors are not shared.
    if (statusCode !== 200) continue
    const shown = JSON.stringify(
      JSON.parse(body, (name, value) => {
        if (name === 'file_state' && value === 'stale') return 'current'
        return ofAttempts.has(name) ? undefined : value
      }),
    )
    answers.set(url, { keys: String(headers['surrogate-key']).split(' '), shown })
  }
  return answers
}

test('a commit purges every answer that it changes, and not each that it does not', async () => {
  const counts = { changed: 0, kept: 0, purgedUnchanged: 0 }
  await fc.assert(
    fc.asyncProperty(nights, async nights => {
      const registry = await openRegistry({ settings: { SHARED_CACHE_S: '60' } })
      const purged = new Set<string>()
      registry.sequencer.serving.onWritten = entries => {
        for (const entry of entries) for (const key of listPurgedKeys(entry)) purged.add(key)
      }
      const index = {
        db: registry.sequencer.index,
        async commit(batch: readonly unknown[] | object) {
          const before = await askAll(registry)
          purged.clear()
          const done = await registry.sequencer.commit({
            observations: [],
            submissions: [],
            ...(Array.isArray(batch) ? { observations: batch } : batch),
          })
          await registry.reader.refresh()
          const after = await askAll(registry)
          for (const [url, { keys, shown }] of before) {
            expect(keys).toContain(ALL_KEY)
            const isPurged = keys.some(key => purged.has(key))
            const isSame = after.get(url)?.shown === shown
            if (!isSame && !isPurged)
              throw new Error(
                `${url} [${keys}] changed by [${[...purged]}]:\n${shown}\n${after.get(url)?.shown}`,
              )
            counts[isSame ? (isPurged ? 'purgedUnchanged' : 'kept') : 'changed'] += 1
          }
          return done
        },
      }
      try {
        const runner = new NightRunner(index, registry.clock)
        for (const night of nights) await runner.run(night)
      } finally {
        await registry.close()
      }
    }),
    { numRuns: Number(process.env.RUNS ?? 3), endOnFailure: true },
  )
  if (process.env.SHOW_RATES) process.stderr.write(`${JSON.stringify(counts)}\n`)
  expect(counts.changed).toBeGreaterThan(0)
  expect(counts.kept).toBeGreaterThan(counts.purgedUnchanged)
}, 300_000)
