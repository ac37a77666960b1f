import { expect, test } from 'vitest'
import { buildFetcherOptions } from '../../../jobs/crawler/fetcher-options.ts'
import { CrawlerMetrics } from '../../../jobs/metrics/crawler-metrics.ts'
import { RoleMetrics } from '../../../jobs/metrics/role-metrics.ts'
import { systemClock } from '../../../pipeline/core/clock.ts'
import { readConfig } from '../../../pipeline/core/config.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import { createFetcher } from '../../../pipeline/fetch/http.ts'

const ask = { maxBytes: 1_000, deadlineMs: 1_000, redirects: 'none', maxRedirects: 0 } as const

test('each refusal of the guard is counted by its reason, and sends nothing', async () => {
  const role = new RoleMetrics('crawler')
  const config = readConfig({ CRAWL_CONNECT_TO: 'http://127.0.0.1:9' })
  const fetcher = createFetcher({
    ...buildFetcherOptions(config, systemClock, silentLog),
    meter: new CrawlerMetrics(role).fetch,
  })
  const urls = [
    'http://acme.example/',
    'https://user@acme.example/',
    'https://acme.example:8443/',
    'https://a..example/',
    'https://10.0.0.1/',
    'https://localhost/',
    'https://',
  ]
  for (const url of urls) {
    expect(await fetcher.fetchDocument(url, ask)).toMatchObject({ outcome: 'refused' })
  }
  expect(await fetcher.lookupHost('printer.local')).toBe('private')
  const text = await role.text()
  const counted = Array.from(
    text.matchAll(/^registry_requests_refused_total\{reason="(\w+)"\} (\d+)/gm),
    ([, reason, count]) => [reason, Number(count)],
  )
  expect(Object.fromEntries(counted)).toEqual({
    scheme: 1,
    credentials: 1,
    port: 1,
    name: 1,
    not_public: 3,
    resolved: 0,
    invalid: 1,
  })
  expect(text).not.toMatch(/^registry_fetch_seconds_count/m)
  await fetcher.close()
})
