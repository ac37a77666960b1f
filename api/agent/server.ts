import { resolvePaths } from '../../pipeline/store/paths.ts'
import { type AgentDeps, buildAgentApp } from './app.ts'
import { AgentState } from './state/store.ts'

/** The reference agent as a process: listens until it is closed. */
export async function runAgent(
  deps: Omit<AgentDeps, 'state'>,
): Promise<{ url: string; close(): Promise<void> }> {
  const { config, log } = deps
  const state = AgentState.open(resolvePaths(config.DATA_DIR).agentState)
  const app = buildAgentApp({ ...deps, state })
  const url = await app.listen({ host: config.HOST, port: config.AGENT_PORT })
  log.info({ url }, 'listening')
  return {
    url,
    async close() {
      await app.close()
      await state.close()
    },
  }
}
