import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { buildWorld } from '../../../../scripts/world/build.ts'
import { findForwarded, isDiscovery } from '../../../../scripts/world/forward.ts'
import { serveWorld } from '../../../../scripts/world/server.ts'

const call = (name: string) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } })
const send = (skill: string) => ({
  method: 'message/send',
  params: { message: { parts: [{ kind: 'data', data: { skill, input: {} } }] } },
})

test.each([
  ['the handshake', { method: 'initialize' }, true],
  ['a list of tools', { method: 'tools/list' }, true],
  ['capabilities', call('get_adcp_capabilities'), true],
  ['products', call('get_products'), true],
  ['capabilities by A2A', send('get_proto_capabilities'), true],
  ['several of them', [{ method: 'notifications/initialized' }, call('get_products')], true],
  ['creatives of an account', call('list_creatives'), false],
  ['a purchase by A2A', send('create_media_buy'), false],
  ['a purchase among others', [call('get_products'), call('create_media_buy')], false],
  ['a task of somebody', { method: 'tasks/get' }, false],
  ['a message without a task', { method: 'message/send' }, false],
])('an agent of the demo answers to anybody only what is discovery: %s', (_, body, isOpen) => {
  expect(isDiscovery(JSON.stringify(body))).toBe(isOpen)
})

test('a body that is no JSON is no discovery', () => {
  expect(isDiscovery('{')).toBe(false)
})

test('a visitor of the demo has an agent at the own site, and nothing else there is forwarded', () => {
  expect(findForwarded('your-site.example', '/mcp')).toBe('/signals/mcp')
  expect(findForwarded('your-site.example', '/.well-known/jwks.json')).toBeUndefined()
})

test('webhooks to the own site reach a receiver as they were sent, and are lost where none listens', async () => {
  const world = buildWorld({ seed: 1, protocolName: 'adcp' })
  let body = ''
  let url: string | undefined
  const receiver = createServer(async (call, response) => {
    url = call.url
    for await (const chunk of call) body += chunk
    response.writeHead(call.headers['webhook-id'] === 'w1' ? 204 : 400).end()
  })
  await once(receiver.listen(0, '127.0.0.1'), 'listening')
  const { port } = receiver.address() as AddressInfo
  const served = await serveWorld(world, { receiver: `http://127.0.0.1:${port}` })
  const post = async (path: string) => {
    const headers = { host: 'your-site.example', 'webhook-id': 'w1' }
    const call = request(`${served.url}${path}`, { method: 'POST', headers }).end('{"b":  1}')
    const [answer] = await once(call, 'response')
    return answer.resume().statusCode
  }
  expect(await post('/changes?team=a%20b')).toBe(204)
  expect([url, body]).toEqual(['/changes?team=a%20b', '{"b":  1}'])
  expect(await post('/other')).toBe(404)
  await new Promise(resolve => receiver.close(resolve))
  expect(await post('/changes')).toBe(502)
  await served.close()
})
