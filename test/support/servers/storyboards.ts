import { type HostRequest, type LiveHost, openLiveWeb } from './live-web.ts'
import { type Payload, type ReferenceAgent, TOKEN } from './reference-agent.ts'

/** A call of an agent, as it arrives. */
export interface AgentCall {
  tenant: string
  method: string
  task: string
  args: Payload
}

/** Changes a payload, or answers instead of the agent: a status and a body. */
export type Damage = (payload: Payload, call: AgentCall) => Payload | undefined

export interface ReferenceAgentOptions {
  /** Sends the agent's own credential along; without it the caller's is passed on. */
  isOpen?: boolean
  damage?: Damage
  /** Gets each call before the agent does. */
  listen?: (call: AgentCall) => unknown
}

/** Opens a web of these hosts and the reference agent, with a crawler that compares agents with that one. */
export function openReferenceWeb(
  agent: ReferenceAgent,
  hosts: Record<string, LiveHost>,
  settings: Record<string, string> = {},
) {
  return openLiveWeb(
    { 'reference.example': serveReferenceAgent(agent), ...hosts },
    { storyboardMs: 60_000, storyboardStepMs: 60_000 },
    {
      PROTOCOL_NAME: 'adcp',
      REFERENCE_AGENT_URL: 'https://reference.example',
      REFERENCE_AGENT_TOKEN: TOKEN,
      ...settings,
    },
  )
}

/** Serves the reference agent as a host of a test's web, and damages its answers where told. */
export function serveReferenceAgent(
  agent: ReferenceAgent,
  { isOpen, damage = payload => payload, listen }: ReferenceAgentOptions = {},
): LiveHost {
  return {
    '*': async ({ request, response, path, body }: HostRequest) => {
      if (request.method !== 'POST') {
        const read = await agent.app.inject({ method: 'GET', url: path })
        return response.writeHead(read.statusCode).end(read.body)
      }
      const message = JSON.parse(body)
      const { name: task = '', arguments: args = {} } = message.params ?? {}
      const call = { tenant: path.split('/')[1]!, method: message.method, task, args }
      await listen?.(call)
      const { authorization = '' } = request.headers
      const answer = await agent.app.inject({
        method: 'POST',
        url: path,
        headers: {
          accept: 'application/json',
          authorization:
            isOpen && !isProbe(authorization, body) ? `Bearer ${TOKEN}` : authorization,
        },
        payload: message,
      })
      response.statusCode = answer.statusCode
      response.setHeader('content-type', 'application/json')
      const challenge = answer.headers['www-authenticate']
      if (challenge !== undefined) response.setHeader('www-authenticate', challenge)
      if (message.method !== 'tools/call' || answer.statusCode !== 200) {
        return response.end(answer.body)
      }
      return response.end(JSON.stringify(damageReply(answer.json(), call, damage)))
    },
  }
}

/** Tells whether a call is one that a storyboard makes without a credential, or with one that was made up. */
function isProbe(authorization: string, body: string): boolean {
  return /^Bearer (invalid-|eyJ)/.test(authorization) || body.includes('--probe_unauth')
}

function damageReply(reply: Payload, call: AgentCall, damage: Damage): Payload {
  const { result } = reply
  if (result === undefined) return reply
  const payload = damage(structuredClone(result.structuredContent), call)
  if (payload === undefined) return { ...reply, result: { content: [], isError: result.isError } }
  const { is_error = result.isError, ...shown } = payload
  return {
    ...reply,
    result: {
      content: [{ type: 'text', text: JSON.stringify(shown) }],
      structuredContent: shown,
      ...(is_error && { isError: true }),
    },
  }
}
