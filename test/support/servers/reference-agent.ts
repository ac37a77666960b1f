import { join } from 'node:path'
import fc from 'fast-check'
import type { FastifyInstance } from 'fastify'
import { expect } from 'vitest'
import { buildAgentApp } from '../../../api/agent/app.ts'
import { AgentState } from '../../../api/agent/state/store.ts'
import { RoleMetrics } from '../../../jobs/metrics/role-metrics.ts'
import type { Clock } from '../../../pipeline/core/clock.ts'
import { readConfig } from '../../../pipeline/core/config.ts'
import type { Limits } from '../../../pipeline/core/limits.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import { listAnswerFaults } from '../checks/protocol-schemas.ts'
import { makeTemporaryFolder } from '../processes/command.ts'

export const TOKEN = 'a-test-credential'

// biome-ignore lint/suspicious/noExplicitAny: answers of any task, whose shapes the schemas check
export type Payload = Record<string, any>

/** The reference agent over a state of its own, without a socket. */
export interface ReferenceAgent {
  app: FastifyInstance
  state: AgentState
  metrics: RoleMetrics
  post(tenant: string, message: object, headers?: Record<string, string>): ReturnType<typeof post>
  call(
    tenant: string,
    name: string,
    given?: object,
  ): Promise<{ isError: boolean; payload: Payload }>
  /** Calls a task and returns its payload; fails where that is an error. */
  succeed(tenant: string, name: string, given?: object): Promise<Payload>
  /** Calls a task that must fail, and returns the code and the field that is named. */
  fail(tenant: string, name: string, given?: object): Promise<{ code: string; field?: string }>
  close(): Promise<void>
}

/** Starts the agent over the state in `folder`, or over a new one that is deleted with it. */
export async function startReferenceAgent<OwnClock extends Clock>(
  clock: OwnClock,
  folder?: string,
  limits: Partial<Limits> = {},
  settings: Record<string, string | undefined> = {},
): Promise<ReferenceAgent & { clock: OwnClock }> {
  const own = folder === undefined ? makeTemporaryFolder() : { path: folder, remove: () => {} }
  const config = readConfig({
    PROTOCOL_NAME: 'adcp',
    TEST_AGENT_TOKEN: TOKEN,
    AGENT_BASE_URL: 'https://agent.example/',
    LIMITS: JSON.stringify({
      agentCallsPerMinute: 100_000,
      agentCredentialCallsPerMinute: 100_000,
      ...limits,
    }),
    ...settings,
  })
  const metrics = new RoleMetrics('agent')
  const bytesMax = config.LIMITS.agentCredentialBytes
  const state = AgentState.open(join(own.path, 'state.mdb'), bytesMax)
  const app = buildAgentApp({ config, clock, log: silentLog, state, metrics })
  await app.ready()
  const call: ReferenceAgent['call'] = async (tenant, name, given = {}) => {
    const message = { method: 'tools/call', params: { name, arguments: given } }
    const answer = await post(app, tenant, message)
    expect(answer.statusCode).toBe(200)
    const { content, structuredContent, isError = false } = answer.json().result
    expect(JSON.parse(content[0].text)).toEqual(structuredContent)
    return { isError, payload: structuredContent }
  }
  return {
    clock,
    app,
    metrics,
    state,
    post: (tenant, message, headers) => post(app, tenant, message, headers),
    call,
    async succeed(tenant, name, given) {
      const { isError, payload } = await call(tenant, name, given)
      expect({ isError, payload }).toMatchObject({ isError: false })
      expect([name, listAnswerFaults(name, payload)]).toEqual([name, []])
      return payload
    },
    async fail(tenant, name, given) {
      const { isError, payload } = await call(tenant, name, given)
      expect({ isError, payload }).toMatchObject({ isError: true })
      const { code, field } = payload.adcp_error
      return field === undefined ? { code } : { code, field }
    },
    async close() {
      await app.close()
      await state.close()
      own.remove()
    },
  }
}

function post(
  app: FastifyInstance,
  tenant: string,
  message: object,
  headers: Record<string, string> = {},
) {
  return app.inject({
    method: 'POST',
    url: `/${tenant}/mcp`,
    headers: { authorization: `Bearer ${TOKEN}`, accept: 'application/json', ...headers },
    payload: { jsonrpc: '2.0', id: 1, ...message },
  })
}

/** JSON that a body may have: one with a `__proto__` in it is refused with 400 before any task. */
export const anyJson = fc
  .jsonValue({ maxDepth: 3 })
  .filter(value => !JSON.stringify(value).includes('"__proto__":'))
