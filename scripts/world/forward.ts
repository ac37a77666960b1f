import { request as callHttp, type IncomingMessage, type ServerResponse } from 'node:http'
import { demoAgents } from './demo-agents.ts'
import { OWN_SITE } from './own-site.ts'
import { readBody } from './read-body.ts'

/** The reference agent, where one runs beside the world. */
export type AgentBehind = {
  /** Its origin, without a trailing slash. */
  url: string
  /** The public credential, which is added to requests of discovery that bring none. */
  token: string
}

/** Host of the world at which all of the reference agent answers. */
export const REFERENCE_HOST = 'reference-agent.example'

const CARD = /^\/\.well-known\/agent(?:-card)?\.json$/
/** Path of the agent that a visitor may add, and tenant that answers for it. */
export const OWN_AGENT_PATH = '/mcp'
const OWN_TENANT = 'signals'
/** Path at which webhooks for a visitor arrive. */
export const OWN_RECEIVER_PATH = '/changes'
const KEYS = '/.well-known/jwks.json'

/**
 * Finds the path at which the reference agent answers for a host of the world: its tasks by both
 * transports, its card, and the keys of its operator. Undefined where it answers for nothing there.
 */
export function findForwarded(host: string, path: string): string | undefined {
  if (host === REFERENCE_HOST) return path
  if (host === OWN_SITE && path === OWN_AGENT_PATH) return `/${OWN_TENANT}${OWN_AGENT_PATH}`
  if (path === KEYS && demoAgents.some(agent => agent.operator === host && agent.tenant))
    return KEYS
  const agent = demoAgents.find(known => known.host === host && known.tenant)
  if (!agent) return undefined
  const base = agent.path.replace(/\/mcp$/, '')
  const below = path.startsWith(`${base}/`) ? path.slice(base.length) : ''
  const isServed = below === '/mcp' || below === '/a2a' || CARD.test(below)
  return isServed ? `/${agent.tenant}${below}` : undefined
}

/** Tells whether a request is for the receiver of a visitor. */
export function isForReceiver(host: string, path: string): boolean {
  return host === OWN_SITE && path === OWN_RECEIVER_PATH
}

/** Tasks that an agent answers to anybody, so that buyers can find out what it offers. */
const DISCOVERY = /^(?:get_\w+_capabilities|list_creative_formats|get_products)$/
const OPEN_METHODS = /^(?:initialize|ping|tools\/list|notifications\/\w+)$/

interface Message {
  method?: string
  params?: { name?: string; message?: { parts?: { data?: { skill?: string } }[] } }
}

/** Tells whether a body only asks what an agent is and offers; anything else needs a credential. */
export function isDiscovery(body: string): boolean {
  try {
    const messages: Message[] = [JSON.parse(body)].flat()
    return messages.every(({ method = '', params }) => {
      if (OPEN_METHODS.test(method)) return true
      const skill = params?.message?.parts?.find(part => part.data?.skill)?.data?.skill
      return DISCOVERY.test(method === 'tools/call' ? (params?.name ?? '') : (skill ?? ''))
    })
  } catch {
    return false
  }
}

/** Passes a request on to the reference agent, and its answer back as it comes. */
export function passToAgent(
  path: string,
  { url, token }: AgentBehind,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const pass = (authorization?: string, body?: string) =>
    passOn(`${url}${path}`, request, response, { ...(authorization && { authorization }) }, body)
  if (request.headers.authorization !== undefined) return pass()
  if (request.method !== 'POST') return pass(`Bearer ${token}`)
  readBody(request).then(
    body => pass(isDiscovery(body) ? `Bearer ${token}` : undefined, body),
    () => response.destroy(),
  )
}

/** Passes a request on to an address, with more headers and another body where they are given. */
export function passOn(
  url: string,
  request: IncomingMessage,
  response: ServerResponse,
  more: Readonly<Record<string, string>> = {},
  body?: string,
): void {
  const { host: _host, connection: _connection, ...headers } = request.headers
  const call = callHttp(url, {
    method: request.method ?? 'GET',
    headers: { ...headers, ...more },
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
  if (body === undefined) request.pipe(call)
  else call.end(body)
}
