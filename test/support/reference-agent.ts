import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import fc from 'fast-check'
import type { FastifyInstance } from 'fastify'
import { expect } from 'vitest'
import { buildAgentApp } from '../../api/agent/app.ts'
import { AgentState } from '../../api/agent/state/store.ts'
import type { Clock } from '../../pipeline/core/clock.ts'
import { readConfig } from '../../pipeline/core/config.ts'
import type { Limits } from '../../pipeline/core/limits.ts'
import { silentLog } from '../../pipeline/core/log.ts'
import { temporaryFolder } from './command.ts'

export const TOKEN = 'a-test-credential'

const SCHEMAS = join(import.meta.dirname, '../../node_modules/@adcp/sdk/dist/lib/schemas-data/3.0')

// biome-ignore lint/suspicious/noExplicitAny: answers of any task, whose shapes the schemas check
export type Payload = Record<string, any>

/** The reference agent over a state of its own, without a socket. */
export interface ReferenceAgent {
  app: FastifyInstance
  state: AgentState
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

/** Starts the agent over the state in a folder, or over one that ends with it. */
export async function startReferenceAgent(
  clock: Clock,
  folder?: string,
  limits: Partial<Limits> = {},
): Promise<ReferenceAgent> {
  const own = folder === undefined ? temporaryFolder() : { path: folder, remove: () => {} }
  const config = readConfig({
    PROTOCOL_NAME: 'adcp',
    TEST_AGENT_TOKEN: TOKEN,
    AGENT_BASE_URL: 'https://agent.example/',
    LIMITS: JSON.stringify({
      agentCallsPerMinute: 100_000,
      agentCredentialCallsPerMinute: 100_000,
      ...limits,
    }),
  })
  const bytesMax = config.LIMITS.agentCredentialBytes
  const state = AgentState.open(join(own.path, 'state.mdb'), bytesMax)
  const app = buildAgentApp({ config, clock, log: silentLog, state })
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
    app,
    state,
    post: (tenant, message, headers) => post(app, tenant, message, headers),
    call,
    async succeed(tenant, name, given) {
      const { isError, payload } = await call(tenant, name, given)
      expect({ isError, payload }).toMatchObject({ isError: false })
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

/** Every public schema of the protocol, by the end of its id. */
let schemas: Ajv | undefined

function loadSchemas(): Ajv {
  const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false })
  formats.default(ajv)
  for (const name of readdirSync(SCHEMAS, { recursive: true, encoding: 'utf8' })) {
    if (!/^(?!bundled).*\.json$/.test(name)) continue
    const schema = JSON.parse(readFileSync(join(SCHEMAS, name), 'utf8'))
    if (typeof schema.$id === 'string') ajv.addSchema(schema, schema.$id)
  }
  return ajv
}

/** Lists what is wrong with a payload by a public schema, such as `media-buy/get-products-response.json`. */
export function listSchemaFaults(path: string, payload: Payload): unknown[] {
  schemas ??= loadSchemas()
  const validate = schemas.getSchema(`/schemas/3.0.6/${path}`)
  if (!validate) throw new Error(`there is no schema ${path}`)
  validate(payload)
  return validate.errors ?? []
}
