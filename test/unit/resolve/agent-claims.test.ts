import { expect, test } from 'vitest'
import { specialisms } from '../../../pipeline/model/badge.ts'
import { checkClaims, describeClaimFault } from '../../../pipeline/resolve/agent-claims.ts'

const known = new Map(Object.entries(specialisms))

const seller = { adcp_version: 'v3', supported_protocols: ['media_buy'] }

test.each([
  {},
  seller,
  { ...seller, specialisms: ['sales-guaranteed', 'signed-requests'] },
  { supported_protocols: ['media_buy', 'signals'], specialisms: ['signal-owned'] },
])('consistent claims decide which storyboards apply to the agent: %j', claims => {
  expect(checkClaims(claims, known)).toBeUndefined()
})

test.each([
  [
    { ...seller, adcp_version: 'v2' },
    { error_kind: 'unsupported_adcp_version', declared_version: 'v2', known_versions: ['v3'] },
    'the agent speaks v2; the storyboards are for v3',
  ],
  [
    { ...seller, specialisms: ['sales-guaranteed', 'sales-by-fax'] },
    {
      error_kind: 'unknown_specialism',
      declared_specialisms: ['sales-by-fax'],
      known_specialisms: expect.arrayContaining(['sales-guaranteed', 'signed-requests']),
    },
    'the agent claims specialisms that the protocol does not have: sales-by-fax',
  ],
  [
    { ...seller, specialisms: ['signal-owned'] },
    {
      error_kind: 'specialism_parent_protocol_missing',
      declared_specialisms: ['signal-owned'],
      declared_protocols: ['media_buy'],
      required_protocols: ['signals'],
    },
    'the agent claims signal-owned, but not the protocol that this is a part of: signals',
  ],
])(
  'inconsistent claims are reported with the facts that they contradict: %j',
  (claims, fault, text) => {
    expect(checkClaims(claims, known)).toEqual(fault)
    expect(describeClaimFault(checkClaims(claims, known)!)).toBe(text)
  },
)
