import { expect, test } from 'vitest'
import { chooseAnswerType } from '../../../api/operation/mcp-transport.ts'

const json = 'application/json'
const stream = 'text/event-stream'

test.each([
  [undefined, json, json],
  ['', json, json],
  ['*/*', json, json],
  ['*/*;q=0.8', json, json],
  ['application/*, text/*', json, json],
  ['application/json', json, json],
  ['application/json;charset=utf-8', json, json],
  ['Application/JSON', json, json],
  ['text/event-stream', stream, stream],
  ['text/*', stream, stream],
  ['application/json, text/event-stream', json, stream],
  ['text/event-stream, application/json', json, stream],
  ['text/event-stream,*/*;q=0.1', stream, stream],
  ['application/json;q=0.5, text/event-stream;q=0.4', json, json],
  ['application/json;q=0, */*', stream, stream],
  ['text/html, application/xhtml+xml, */*; q=0.2', json, json],
  ['nonsense', json, json],
  ['text/html', undefined, undefined],
  ['image/*, text/html;q=0.9', undefined, undefined],
  ['*/*;q=0', undefined, undefined],
] as const)(
  'Accept: %s is answered by the registry with %s, by the agent with %s',
  (accept, ofRegistry, ofAgent) => {
    expect(chooseAnswerType(accept, json)).toBe(ofRegistry)
    expect(chooseAnswerType(accept, stream)).toBe(ofAgent)
  },
)
