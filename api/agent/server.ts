import { type AgentDeps, buildAgentApp } from './app.ts'

/** The reference agent as a process: listens until it is closed. */
export async function runAgent(deps: AgentDeps): Promise<{ url: string; close(): Promise<void> }> {
  const app = buildAgentApp(deps)
  const url = await app.listen({ host: deps.config.HOST, port: deps.config.AGENT_PORT })
  deps.log.info({ url }, 'listening')
  return { url, close: () => app.close() }
}
