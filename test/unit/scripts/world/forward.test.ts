import { expect, test } from 'vitest'
import { findForwarded, isDiscovery } from '../../../../scripts/world/forward.ts'

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
