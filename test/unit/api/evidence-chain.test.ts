import { load } from 'cheerio'
import { expect, test } from 'vitest'
import { renderChain } from '../../../api/pages/parts/evidence.tsx'
import type { Evidence } from '../../../pipeline/model/responses/authority.ts'

const step = (property_id: string, more: Partial<Evidence> = {}): Evidence => ({
  property_id: property_id as Evidence['property_id'],
  side: 'publisher',
  domain: 'herald.example',
  rule: 'granted',
  says: 'match',
  text: 'this entry authorizes the agent',
  ...more,
})

const read = (evidence: readonly Evidence[]) => load(String(renderChain(evidence)))

test('steps that differ in nothing but their property are one step that names them all', () => {
  const page = read([step('site'), step('app'), step('tv', { rule: 'not_in_window' })])
  const properties = page('.chain > li')
    .toArray()
    .map(item => page(item).find('dt:contains("Propert") + dd').text())
  expect(properties).toEqual(['site and app', 'tv'])
})

test('a property is called by its name, where the publisher’s file has one', () => {
  const property_rid = '01a220e7-0000-7000-8000-000000000000' as Evidence['property_rid']
  const names = new Map([[String(property_rid), 'Herald (herald.example)']])
  const page = load(String(renderChain([step('site', { property_rid })], names)))
  expect(page('dt:contains("Property") + dd').text()).toBe('Herald (herald.example)')
})

test('many properties of a step, and steps beyond those shown, are counted', () => {
  const sites = Array.from({ length: 15 }, (_, number) => step(`site${number}`))
  expect(read(sites)('dd').first().text()).toMatch(/^site0, site1, .*site11 and 3 more$/)
  const entries = Array.from({ length: 22 }, (_, number) => step('site', { entry: `${number}` }))
  expect(read(entries)('.chain > li')).toHaveLength(20)
  expect(read(entries)('.more').text()).toBe('2 more steps in the JSON below')
})

test('a step says in a sentence which entry it is, as people count, and when it was read', () => {
  const page = read([
    step('site', { entry: 'authorized_agents[0]', fetched_at: '2026-11-20T04:00:00.000Z' }),
  ])
  expect(page('.says').text()).toBe(
    'Entry 1 of its adagents.json authorizes the agent (read 20 Nov 2026, 04:00 UTC).',
  )
  expect(page('.chain > li > details').text()).toContain('site')
  expect(page('details[open]')).toHaveLength(0)
})

test('a step names the host of its entry where another file than the publisher’s own has it', () => {
  const page = read([
    step('site', {
      entry: 'authorized_agents[0]',
      file: 'https://network.example/.well-known/adagents.json',
    }),
  ])
  expect(page('.says').text()).toBe(
    'Entry 1 of network.example’s adagents.json authorizes the agent.',
  )
})

test('a step contracts what the API writes out', () => {
  const page = read([
    step('site', { text: 'the file has no entry that authorizes this agent for this publisher' }),
  ])
  expect(page('.says').text()).toBe(
    'The file has no entry that authorizes this agent for this publisher.',
  )
})

test('what the publisher says of the agent is not repeated as said by the operator', () => {
  const said = (side: Evidence['side']) =>
    read([step('site', { side, delegation_type: 'direct' })])('.chain').text()
  expect(said('publisher')).toContain('. The agent sells directly.')
  expect(said('operator')).not.toContain('sells directly')
})

test('a step asks for a country only after the sentence that says when its file was read', () => {
  const page = read([
    step('site', {
      rule: 'country_not_asked',
      text: 'this entry is limited to some countries, and this check does not name one',
      entry: 'authorized_agents[0]',
      fetched_at: '2026-11-20T04:00:00.000Z',
    }),
  ])
  expect(page('.says').text()).toBe(
    'Entry 1 of its adagents.json is limited to some countries (read 20 Nov 2026, 04:00 UTC). Choose one above.',
  )
})

test.each([
  ['no_brand_file', 'unknown'],
  ['not_declared', 'says nothing'],
] as const)('a side that decides nothing by %s is called “%s”', (rule, badge) => {
  const page = read([step('site', { side: 'operator', rule, says: 'unknown' })])
  expect(page('h3').text()).toBe(`The agent’s operator herald.example ${badge}`)
})

test('a step leads to the bytes of its file that were read, where the registry has them', () => {
  const file = 'https://herald.example/.well-known/adagents.json'
  const fetched_at = '2026-11-20T04:00:00.000Z'
  const path = '/file/adagents.json/herald.example'
  const chain = renderChain(
    [step('site', { file, fetched_at })],
    new Map(),
    new Map([[file, path]]),
  )
  const page = load(String(chain))
  expect(page('.says').text()).toContain('04:00 UTC; raw file).')
  expect(page('.says a').attr('href')).toBe(path)
  expect(page('dt:contains("File") + dd').text()).toContain('raw file')
  expect(read([step('site', { file, fetched_at })])('.says a')).toHaveLength(0)
})
