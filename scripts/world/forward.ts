import { request as callHttp, type IncomingMessage, type ServerResponse } from 'node:http'
import { demoAgents } from './demo-agents.ts'

/** The reference agent, where one runs beside the world. */
export type AgentBehind = {
  /** Its origin, without a trailing slash. */
  url: string
  /** The public credential, which is added for callers that bring none. */
  token: string
}

/** Host of the world at which all of the reference agent answers. */
export const REFERENCE_HOST = 'reference-agent.example'

const CARD = /^\/\.well-known\/agent(?:-card)?\.json$/
const KEYS = '/.well-known/jwks.json'

/**
 * Finds the path at which the reference agent answers for a host of the world: its tasks by both
 * transports, its card, and the keys of its operator. Undefined where it answers for nothing there.
 */
export function findForwarded(host: string, path: string): string | undefined {
  if (host === REFERENCE_HOST) return path
  if (path === KEYS && demoAgents.some(agent => agent.operator === host && agent.tenant))
    return KEYS
  const agent = demoAgents.find(known => known.host === host && known.tenant)
  if (!agent) return undefined
  const base = agent.path.replace(/\/mcp$/, '')
  const below = path.startsWith(`${base}/`) ? path.slice(base.length) : ''
  const isServed = below === '/mcp' || below === '/a2a' || CARD.test(below)
  return isServed ? `/${agent.tenant}${below}` : undefined
}

/** Passes a request on to the reference agent, and its answer back as it comes. */
export function passToAgent(
  path: string,
  { url, token }: AgentBehind,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { host: _host, connection: _connection, ...headers } = request.headers
  const authorization = headers.authorization ?? `Bearer ${token}`
  const call = callHttp(`${url}${path}`, {
    method: request.method ?? 'GET',
    headers: { ...headers, authorization },
  })
  call.on('response', answer => {
    const { connection: _closes, 'keep-alive': _time, ...given } = answer.headers
    response.writeHead(answer.statusCode ?? 502, given)
    answer.pipe(response)
  })
  call.on('error', () => {
    if (response.headersSent) response.destroy()
    else response.writeHead(502).end()
  })
  response.on('close', () => call.destroy())
  request.pipe(call)
}
