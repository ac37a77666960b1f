import type { IncomingMessage } from 'node:http'

/**
 * Sets the host headers of a request to the public address of the registry, whatever host its caller names:
 * the library builds the addresses that it publishes and redirects to from them.
 */
export function setForwardedHost({ headers }: IncomingMessage, baseUrl: string): void {
  const { host, protocol } = new URL(baseUrl)
  delete headers['x-forwarded-host']
  headers.host = host
  headers['x-forwarded-proto'] = protocol.slice(0, -1)
}
