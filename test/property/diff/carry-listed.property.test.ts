import fc from 'fast-check'
import { expect, test } from 'vitest'
import { carryOver } from '../../../pipeline/diff/carry.ts'
import { limitReach } from '../../../pipeline/model/agents-reach.ts'
import {
  type AdagentsDocument,
  type AdagentsInline,
  leftOutLists,
} from '../../../pipeline/model/documents/index.ts'
import { parseDocument } from '../../../pipeline/parse/parse-document.ts'

const domain = 'acme.example'
const NOW = Date.parse('2026-11-20T03:00:00Z')

/** A file whose size lies around the limit: 100 agents reach 20,000 properties each at most. */
interface File {
  agents: number[]
  properties: number
  isReversed: boolean
  revoked: boolean
}
const anyFile: fc.Arbitrary<File> = fc.record({
  agents: fc.uniqueArray(fc.nat(299), { minLength: 1, maxLength: 300, size: 'max' }),
  properties: fc.constantFrom(10, 6_000, 12_000, 20_000),
  isReversed: fc.boolean(),
  revoked: fc.boolean(),
})
const grown = (count: number): File => ({
  agents: Array.from({ length: 200 }, (_, i) => i),
  properties: count,
  isReversed: false,
  revoked: count > 10,
})
const toUrl = (i: number) => `https://a${i}.agents.example`
const properties = Array.from({ length: 20_000 }, (_, i) => ({
  property_type: 'website',
  name: `P ${i}`,
  property_id: `p${i}`,
  tags: ['all'],
  identifiers: [{ type: 'subdomain', value: `s${i}.${domain}` }],
}))

function parse({ agents, properties: count, isReversed, revoked }: File): AdagentsInline {
  const authorized_agents = agents.map(i => ({
    url: toUrl(i),
    authorized_for: 'All',
    authorization_type: 'property_tags',
    property_tags: ['all'],
  }))
  const file = {
    authorized_agents: isReversed ? authorized_agents.reverse() : authorized_agents,
    properties: properties.slice(0, count),
    ...(revoked && { revoked_publisher_domains: [{ publisher_domain: 'other.example' }] }),
  }
  const body = Buffer.from(JSON.stringify(file))
  return parseDocument('adagents.json', body, { domain, maxFaults: 9 }).document as AdagentsInline
}

const list = ({ agents }: AdagentsInline) => new Set(agents.map(({ agent_url }) => agent_url))

test('an agent that could sell and is still listed can sell after any files, however broad they grew', () => {
  const outcomes = new Set<string>()
  fc.assert(
    fc.property(fc.array(anyFile, { minLength: 2, maxLength: 4 }), files => {
      let stored: AdagentsDocument | undefined
      for (const file of files) {
        const fresh = parse(file)
        const before = stored as AdagentsInline | undefined
        const listed = list({
          ...fresh,
          agents: [...fresh.agents, ...(fresh.left_out_agents ?? [])],
        })
        expect(listed.size).toBe(file.agents.length)
        const after = carryOver(before, fresh, NOW, domain) as AdagentsInline
        const carried = list(after)
        for (const agent of before ? list(before) : []) {
          expect([agent, carried.has(agent)]).toEqual([agent, listed.has(agent)])
        }
        for (const agent of carried) expect(listed.has(agent)).toBe(true)
        // Whatever was not read is said to be unknown, and what is kept fits.
        if (carried.size < listed.size) expect(after.left_out).toContain('agents')
        expect(limitReach(after.agents, after.properties, domain)).toEqual(after.agents)
        expect(after.revoked_publisher_domains).toEqual(fresh.revoked_publisher_domains)
        expect(after).not.toHaveProperty('left_out_agents')
        const isUnread = after.left_out?.length === leftOutLists.length
        outcomes.add(isUnread ? 'unread' : after.left_out ? 'in part' : 'whole')
        stored = after
      }
    }),
    { numRuns: 10, seed: 7, examples: [[[grown(10), grown(20_000)]]] },
  )
  expect([...outcomes].sort()).toEqual(['in part', 'unread', 'whole'])
})
