import type { Config } from './config.ts'

/** Distances of other default ports from that of the API, so that registries on one machine do not collide. */
const OPERATOR_DISTANCE = 100
const AGENT_DISTANCE = 200
const RECEIVER_DISTANCE = 300

/** Tells which ports the demo takes, to somebody who has to choose others. */
export const DEMO_PORTS = `The demo takes PORT, PORT + ${OPERATOR_DISTANCE} (OPERATOR_PORT) and PORT + ${AGENT_DISTANCE} (AGENT_PORT): another PORT moves all three.`

/** Chooses the port of the reference agent; 0 for any. */
export function chooseAgentPort({ AGENT_PORT, PORT }: Pick<Config, 'AGENT_PORT' | 'PORT'>): number {
  return AGENT_PORT ?? addToPort(PORT, AGENT_DISTANCE)
}

/** Chooses the port on which `start` serves the operator; 0 for any. */
export function chooseOperatorPort({
  OPERATOR_PORT,
  PORT,
}: Pick<Config, 'OPERATOR_PORT' | 'PORT'>): number {
  return OPERATOR_PORT ?? addToPort(PORT, OPERATOR_DISTANCE)
}

/** Chooses the port at which somebody who tries the demo receives webhooks; 0 for none. */
export function chooseReceiverPort({ PORT }: Pick<Config, 'PORT'>): number {
  return addToPort(PORT, RECEIVER_DISTANCE)
}

function addToPort(port: number, distance: number): number {
  return port === 0 || port + distance > 65_535 ? 0 : port + distance
}
