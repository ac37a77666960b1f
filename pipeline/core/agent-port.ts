import type { Config } from './config.ts'

/** Distance between the default ports of the API and of the reference agent. */
const PORT_DISTANCE = 100

/**
 * Chooses the agent's port relative to that of the API, so that registries on one machine do not collide; 0
 * for any.
 */
export function chooseAgentPort({ AGENT_PORT, PORT }: Pick<Config, 'AGENT_PORT' | 'PORT'>): number {
  const beside = PORT + PORT_DISTANCE
  return AGENT_PORT ?? (PORT === 0 || beside > 65_535 ? 0 : beside)
}
