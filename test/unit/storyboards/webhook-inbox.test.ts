import { expect, test } from 'vitest'
import { createOpenInbox } from '../../../jobs/api-client/webhook-inboxes.ts'
import { runStoryboard } from '../../../pipeline/storyboards/run-storyboard.ts'
import { buildRunDeps, buildStoryboard } from '../../support/fixtures/written-storyboards.ts'
import { startRedis } from '../../support/processes/redis.ts'
import { cleanUp } from '../../support/registry/registry.ts'
import { agentUrl, buildScriptedAgent, serveAgentHost } from '../../support/servers/agent-host.ts'

const storyboard = buildStoryboard([
  {
    id: 'ask',
    title: 'Ask for products',
    task: 'get_products',
    sample_request: { push_notification_config: { url: '{{runner.webhook_url:ask}}' } },
  },
])

test.each([
  ['ends', undefined],
  ['fails', new Error('nobody reads the progress')],
])('the inbox of a run is gone when the run %s', async (_, failure) => {
  const redis = await startRedis()
  cleanUp(() => redis.close())
  const tasks = { get_products: { content: [], structuredContent: { products: [] } } }
  const host = await serveAgentHost(buildScriptedAgent({ tasks }))
  const countInboxes = async () => (await redis.redis.keys('*inbox*')).length
  const opened: Promise<number>[] = []
  const run = runStoryboard(
    storyboard,
    { url: agentUrl },
    {
      ...buildRunDeps(host),
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
