import { expect, test } from 'vitest'
import { runApi } from '../../api/server.ts'
import { openWriterClient } from '../../jobs/api-client/writer-client.ts'
import { runCrawler } from '../../jobs/crawler/crawler.ts'
import { systemClock } from '../../pipeline/core/clock.ts'
import { readConfig } from '../../pipeline/core/config.ts'
import { silentLog } from '../../pipeline/core/log.ts'
import { findIssuer } from '../../pipeline/read/lookups/issuers.ts'
import { waitUntil } from '../support/processes/command.ts'
import { startRedis } from '../support/processes/redis.ts'
import { openRegistry } from '../support/registry/app.ts'
import { buildGenerousLimits, generousTimeouts } from '../support/registry/generous-limits.ts'
import { openIssuer } from '../support/servers/issuer.ts'

test('an API process that starts has the issuer’s keys fetched before the first request', async () => {
  const issuer = await openIssuer()
  const redis = await startRedis()
  const crawling = readConfig({ ...issuer.settings, ...buildGenerousLimits() })
  const crawler = await runCrawler(crawling, redis.url, systemClock, silentLog)
  const writer = openWriterClient(redis.url, silentLog, generousTimeouts)
  const registry = await openRegistry({ settings: { ...issuer.settings, PORT: '0' } })
  const { config, clock } = registry
  const api = await runApi({
    config,
    clock,
    log: silentLog,
    writer: {
      ...writer,
      submit: async operation => (await registry.submit(operation))[0]!,
    },
  })
  try {
    const known = await waitUntil(async () => findIssuer(registry.reader, issuer.url))
    expect(known.keys).toMatchObject([{ kid: issuer.key().kid, kty: 'EC' }])
    expect(JSON.stringify(known)).not.toMatch(/"(?:d|p|q)":/)
    issuer.asked.length = 0
    const headers = { authorization: `Bearer ${await issuer.token()}` }
    expect((await fetch(`${api.url}/api/registry/feed`, { headers })).status).toBe(200)
    expect(issuer.asked).toEqual([])
  } finally {
    await api.close()
    await registry.close()
    await crawler.close()
    await writer.close()
    await redis.close()
    await issuer.close()
  }
})
