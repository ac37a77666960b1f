import { expect, test } from 'vitest'
import { checkText } from '../../../api/inputs/proposed-file.ts'

const DOMAIN = 'publisher.example'

/** Checks a file with one property, and one agent that is restricted. */
function check(restriction: object) {
  const identifiers = [{ type: 'domain', value: DOMAIN }]
  const property = { property_id: 'site', property_type: 'website', name: 'Site', identifiers }
  const grant = { authorization_type: 'property_ids', property_ids: ['site'] }
  const agent = { url: 'https://agent.example/mcp', authorized_for: 'all', ...grant }
  const document = JSON.stringify({
    authorized_agents: [{ ...agent, ...restriction }],
    properties: [property],
  })
  return checkText({ kind: 'adagents.json', document, domain: DOMAIN }, Date.now())
}

test.each([{ countries: 'US' }, { placement_ids: 'top' }, { collections: [] }])(
  'a proposed entry with a restriction that cannot be read reaches nothing: %j',
  restriction => {
    const { errors, sellers } = check(restriction)
    expect(errors.map(({ message }) => message).join()).toContain(
      'this entry currently has no effect',
    )
    expect(sellers?.agents).toMatchObject([{ properties_authorized: 0, in_force: false }])
  },
)

test('a proposed entry that is limited to a country reaches its properties', () => {
  expect(check({ countries: ['US'] }).sellers?.agents).toMatchObject([
    { properties_authorized: 1, in_force: true },
  ])
})
