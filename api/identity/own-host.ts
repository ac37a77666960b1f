import type { IncomingMessage } from 'node:http'

/**
 * Makes a request name the public address of the registry, whatever host its caller names: the library
 * builds the addresses that it publishes and sends people to from it.
 */
export function nameOwnHost({ headers }: IncomingMessage, baseUrl: string): void {
  const { host, protocol } = new URL(baseUrl)
  delete headers['x-forwarded-host']
  headers.host = host
  headers['x-forwarded-proto'] = protocol.slice(0, -1)
}
