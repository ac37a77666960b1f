import { ErrorCode } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, test } from 'vitest'
import { openForAll } from '../../support/runner/open-for-all.ts'
import { startReferenceAgent, TOKEN } from '../../support/servers/reference-agent.ts'
import { testClock } from '../../support/worlds/clock.ts'

const agent = openForAll(() => startReferenceAgent(testClock('2026-11-20T00:00Z')))

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
