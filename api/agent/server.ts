import { chooseAgentPort } from '../../pipeline/core/agent-port.ts'
import type { Fetcher } from '../../pipeline/fetch/http.ts'
import { resolvePaths } from '../../pipeline/store/paths.ts'
import { type AgentDeps, buildAgentApp } from './app.ts'
import { AgentState } from './state/store.ts'
import { WebhookSender } from './webhooks/sender.ts'

interface AgentRoleDeps extends Omit<AgentDeps, 'state'> {
  /** Posts webhooks; whoever starts the agent closes it. */
  fetcher: Pick<Fetcher, 'call'>
}

/** The reference agent as a process: listens, and posts webhooks, until it is closed. */
export async function runAgent({
  fetcher,
  ...deps
}: AgentRoleDeps): Promise<{ url: string; close(): Promise<void> }> {
  const { config, clock, log } = deps
  const state = AgentState.open(resolvePaths(config.DATA_DIR).agentState)
  const app = buildAgentApp({ ...deps, state })
  const parts = { state, clock, log, fetcher, protocolName: config.PROTOCOL_NAME }
  const sender = new WebhookSender(parts)
  sender.start()
  const url = await app.listen({ host: config.HOST, port: chooseAgentPort(config) })
  log.info({ url }, 'listening')
  return {
    url,
    async close() {
      await app.close()
      await sender.close()
      await state.close()
    },
  }
}
