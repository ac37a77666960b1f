import type { IncomingMessage } from 'node:http'

/**
 * Sets the headers of a request to the public address of the registry, whatever host its caller names: the
 * library builds from them the addresses that it publishes and sends people to.
 */
export function setForwardedHost({ headers }: IncomingMessage, baseUrl: string): void {
  const { host, protocol } = new URL(baseUrl)
  delete headers['x-forwarded-host']
  headers.host = host
  headers['x-forwarded-proto'] = protocol.slice(0, -1)
}
