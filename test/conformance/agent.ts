import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getComplianceCacheDir } from '@adcp/sdk/testing'
import type { FastifyInstance } from 'fastify'
import { buildAgentApp } from '../../api/agent/app.ts'
import { AgentState } from '../../api/agent/state/store.ts'
import { WebhookSender } from '../../api/agent/webhooks/sender.ts'
import type { Clock } from '../../pipeline/core/clock.ts'
import { readConfig } from '../../pipeline/core/config.ts'
import { silentLog } from '../../pipeline/core/log.ts'
import { createFetcher } from '../../pipeline/fetch/http.ts'

interface AgentOptions {
  clock: Clock
  token: string
  /** Tasks that must be signed, by keys of the runner's vectors. */
  signedTasks?: readonly string[]
  /** Further settings. */
  settings?: Record<string, string>
  /** Sends webhooks in place of the agent’s own sender, which it is given. */
  wrap?: (send: Send) => Send
}

export type Send = ReturnType<typeof createFetcher>['call']

export interface RunningAgent {
  url: string
  app: FastifyInstance
  close(): Promise<void>
}

/** Starts a reference agent that nobody has used, and that posts webhooks to this machine. */
export async function startAgent({
  clock,
  token,
  signedTasks = [],
  settings,
  wrap = send => send,
}: AgentOptions): Promise<RunningAgent> {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'))
  const state = AgentState.open(join(folder, 'state.mdb'))
  const config = readConfig({
    TEST_AGENT_TOKEN: token,
    AGENT_SIGNED_TASKS: signedTasks.join(','),
    AGENT_LOOPBACK_WEBHOOKS: 'true',
    LIMITS: JSON.stringify({
      agentCallsPerMinute: 100_000,
      agentCredentialCallsPerMinute: 100_000,
    }),
    ...settings,
  })
  const signers = { trusted: readVectorKeys(), revoked: ['test-revoked-2026'] }
  const app = buildAgentApp({ config, clock, log: silentLog, state, signers })
  const { HOST_CONCURRENCY, ADDRESS_CONCURRENCY, CRAWL_CONTACT, LIMITS } = config
  const fetcher = createFetcher({
    hostConcurrency: HOST_CONCURRENCY,
    addressConcurrency: ADDRESS_CONCURRENCY,
    contact: CRAWL_CONTACT,
    limits: LIMITS,
    clock,
  })
  const sender = new WebhookSender({
    state,
    clock,
    log: silentLog,
    fetcher: { call: wrap(fetcher.call.bind(fetcher)) },
    protocolName: config.PROTOCOL_NAME,
    reachesLoopback: config.AGENT_LOOPBACK_WEBHOOKS,
  })
  sender.start()
  return {
    url: await app.listen({ host: '127.0.0.1', port: 0 }),
    app,
    async close() {
      await app.close()
      await sender.close()
      await fetcher.close()
      await state.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Reads the keys by which the runner signs requests; one of them is revoked. */
function readVectorKeys(): unknown {
  const file = join(getComplianceCacheDir(), 'test-vectors/request-signing/keys.json')
  return JSON.parse(readFileSync(file, 'utf8'))
}
