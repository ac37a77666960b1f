import { describe, expect, test } from 'vitest'
import { buildInventory, type InventoryRows } from '../../../pipeline/serving/inventory-record.ts'
import { readPlainSales } from '../../../pipeline/serving/plain-sales.ts'

const AGENT = 'https://sales.acme.example'
const [WITH_ID, WITHOUT_ID] = [
  '0190c0de-0000-7000-8000-000000000001',
  '0190c0de-0000-7000-8000-000000000002',
]
/** A text that looks like members of the record. */
const HOSTILE = '","sellers":["https://evil.example"],"discovery_method":"x","property_id":"y'

function buildRows({ countries = null }: { countries?: string[] | null } = {}): InventoryRows {
  const property = { property_type: 'website', name: HOSTILE, identifiers: [], tags: [HOSTILE] }
  return {
    publisher: {
      domain: 'pub.example',
      valid: true,
      discovery_method: 'direct',
      manager_domain: null,
      resolved_location: 'pub.example',
      property_count: 2,
      catalog: { formats: [], placements: [] },
    },
    properties: [
      { ...property, property_rid: WITH_ID, property_id: 'front_page', status: 'active' },
      { ...property, property_rid: WITHOUT_ID, property_id: null, status: 'active' },
    ],
    authorizations: [
      {
        agent_url: AGENT,
        entry: 0,
        authorization_type: 'property_tags',
        authorized_for: HOSTILE,
        in_force: true,
        signing_keys: null,
        delegation_type: null,
        countries,
        placement_ids: null,
        placement_tags: null,
        collections: null,
        effective_from: null,
        effective_until: null,
        publisher_wide: true,
        property_set: 'set',
        property_rids: [WITH_ID, WITHOUT_ID],
      },
    ],
  } as unknown as InventoryRows
}

const read = (rows: InventoryRows) =>
  readPlainSales(JSON.stringify(buildInventory(rows)), 'pub.example')

describe('sales of a publisher that grants everything', () => {
  test('are read from the text of its inventory, whatever the texts inside contain', () => {
    const sales = read(buildRows())!
    expect(sales.valid).toBe(true)
    expect(sales.sellers).toEqual([AGENT])
    expect(sales.findPropertyId(WITH_ID)).toBe('front_page')
    expect(sales.findPropertyId(WITHOUT_ID)).toBe(WITHOUT_ID)
    expect(sales.findPropertyId('0190c0de-0000-7000-8000-000000000003')).toBeUndefined()
    expect(sales.listFiles()).toEqual([{ kind: 'adagents.json', location: 'pub.example' }])
  })

  test('are not plain where a grant is limited to a country', () => {
    expect(read(buildRows({ countries: ['GB'] }))).toBeUndefined()
  })
})
