import { describe, expect, test } from 'vitest'
import { openForAll } from '../../support/runner/open-for-all.ts'
import { startReferenceAgent, TOKEN } from '../../support/servers/reference-agent.ts'
import { testClock } from '../../support/worlds/clock.ts'

const agent = openForAll(() => startReferenceAgent(testClock('2026-11-20T00:00Z')))

describe('an operator of the reference agent', () => {
  test.each([
    ['/healthz', 'ok'],
    ['/readyz', 'ready'],
  ])('is told at %s that it is %s', async (url, status) => {
    const answer = await agent.app.inject({ url })
    expect([answer.statusCode, answer.json()]).toEqual([200, { status }])
  })

  test('reads how often its tasks were called, which callers do not', async () => {
    const params = { name: 'list_accounts', arguments: {} }
    const called = await agent.app.inject({
      method: 'POST',
      url: '/sales/mcp',
      headers: { authorization: `Bearer ${TOKEN}`, accept: 'application/json' },
      payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    })
    expect(called.statusCode).toBe(200)
    expect((await agent.app.inject({ url: '/metrics' })).statusCode).toBe(404)
    expect(await agent.metrics.text()).toMatch(
      /^registry_agent_calls_total\{[^}]*"list_accounts"[^}]*\} 1$/m,
    )
  })
})

test('a page of any origin may call the agent and read the answer', async () => {
  const headers = { origin: 'https://app.example', 'access-control-request-method': 'POST' }
  const preflight = await agent.app.inject({ method: 'OPTIONS', url: '/sales/mcp', headers })
  expect(preflight.statusCode).toBe(204)
  expect(preflight.headers['access-control-allow-origin']).toBe('*')
  expect(preflight.headers['access-control-allow-headers']).toMatch(/authorization/i)
  const answer = await agent.app.inject({ method: 'POST', url: '/sales/mcp', headers })
  expect(answer.statusCode).toBe(401)
  expect(answer.headers['access-control-allow-origin']).toBe('*')
})
