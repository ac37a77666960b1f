import { expect, test } from 'vitest'
import { findLookalikes } from '../../../../pipeline/writer/watching/find-lookalikes.ts'

function find(domain: string, ...saved: string[]): string[] {
  const entries = saved.map(name => ({
    domain: name,
    is_brand: true,
    at: '2026-11-20T03:00:00Z',
    seq: 1,
  }))
  const found = findLookalikes(new Set([domain]), entries).get(domain) ?? []
  return found.map(entry => entry.domain)
}

test('a long name is found anywhere within another one', () => {
  const saved = ['mypaypalshop.net', 'paypa1.example', 'shop.paypal.com', 'flowers.net']
  expect(find('paypal.com', ...saved)).toEqual(['mypaypalshop.net', 'paypa1.example'])
})

test('a short name is found only as a part of its own', () => {
  expect(find('a.com', 'a-login.net', 'banana.net', 'a.example.net')).toEqual([
    'a-login.net',
    'a.example.net',
  ])
  expect(find('a-b.com', 'a-b.net', 'xa-bx.net')).toEqual(['a-b.net'])
  expect(find('tmo.com', 'trno-login.net', 'tmotion.net')).toEqual(['trno-login.net'])
})
