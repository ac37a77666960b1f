import { ErrorCode } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type ReferenceAgent,
  startReferenceAgent,
  TOKEN,
} from '../../support/servers/reference-agent.ts'
import { testClock } from '../../support/worlds/clock.ts'

let agent: ReferenceAgent

beforeAll(async () => {
  agent = await startReferenceAgent(testClock('2026-11-20T00:00Z'))
})

afterAll(() => agent.close())

describe('the reference agent answers as JSON-RPC does', () => {
  test.each([
    ['half an object', '{', ErrorCode.ParseError],
    ['nothing', '', ErrorCode.ParseError],
    ['an empty list', '[]', ErrorCode.InvalidRequest],
    ['null', 'null', ErrorCode.InvalidRequest],
    ['a text', '"tools/list"', ErrorCode.InvalidRequest],
  ])('to %s', async (_, payload, code) => {
    const answer = await agent.app.inject({
      method: 'POST',
      url: '/sales/mcp',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${TOKEN}`,
      },
      payload,
    })
    expect([answer.statusCode, answer.json()]).toMatchObject([
      400,
      { jsonrpc: '2.0', id: null, error: { code, message: expect.any(String) } },
    ])
  })
})
