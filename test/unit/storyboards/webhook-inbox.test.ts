import { expect, test } from 'vitest'
import { createOpenInbox } from '../../../jobs/api-client/webhook-inboxes.ts'
import { limits } from '../../../pipeline/core/limits.ts'
import type { Fetcher } from '../../../pipeline/fetch/http.ts'
import { Storyboard } from '../../../pipeline/model/storyboards/storyboard.ts'
import { listInstalledBundles } from '../../../pipeline/storyboards/bundles/bundle-folder.ts'
import { runStoryboard } from '../../../pipeline/storyboards/run-storyboard.ts'
import { startRedis } from '../../support/processes/redis.ts'
import { cleanUp } from '../../support/registry/registry.ts'
import {
  agentUrl,
  buildScriptedAgent,
  clock,
  serveAgentHost,
} from '../../support/servers/agent-host.ts'
import { createFetcherTo } from '../../support/worlds/fetching.ts'

const written = Storyboard.parse({
  id: 'one_step',
  version: '1.0.0',
  title: 'One step',
  category: 'test',
  summary: 'The agent posts what it did',
  narrative: 'The runner has an address for it.',
  track: 'core',
  default_agent: 'sales',
  agent: { interaction_model: 'request_response', capabilities: [] },
  caller: { role: 'buyer_agent' },
  phases: [
    {
      id: 'only',
      title: 'Only',
      steps: [
        {
          id: 'ask',
          title: 'Ask for products',
          task: 'get_products',
          expected: 'Products',
          sample_request: {
            push_notification_config: { url: '{{runner.webhook_url:ask}}' },
          },
        },
      ],
    },
  ],
})

test.each([
  ['ends', undefined],
  ['fails', new Error('nobody reads the progress')],
])('the inbox of a run is gone when the run %s', async (_, failure) => {
  const redis = await startRedis()
  cleanUp(() => redis.close())
  const tasks = { get_products: { content: [], structuredContent: { products: [] } } }
  const host = await serveAgentHost(buildScriptedAgent({ tasks }))
  const [source] = listInstalledBundles()
  const storyboard = { ...written, track: 'core', tenant: 'sales', source: source! } as const
  const countInboxes = async () => (await redis.redis.keys('*inbox*')).length
  const opened: Promise<number>[] = []
  const run = runStoryboard(
    storyboard,
    { url: agentUrl },
    {
      fetcher: createFetcherTo(host.url) as Fetcher,
      limits,
      protocolName: 'proto',
      clock,
      signal: AbortSignal.timeout(60_000),
      openInbox: createOpenInbox(redis.redis, 'https://registry.example'),
    },
    {
      onStep() {
        opened.push(countInboxes())
        if (failure) throw failure
      },
    },
  )
  if (failure) await expect(run).rejects.toBe(failure)
  else await run
  expect(await Promise.all(opened)).toEqual([1])
  expect(await countInboxes()).toBe(0)
})
