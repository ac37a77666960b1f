import fc from 'fast-check'
import { expect, test } from 'vitest'
import { listContradictions, Replica, readReplicaState } from '../../support/clients/replica.ts'
import { buildWebsite, runNights } from '../../support/worlds/nights.ts'

const acme = 'acme.example'
const files = ['https://files.example/a.json', 'https://files.example/b.json']
const sales = 'https://sales.example/mcp'
const app = { property_type: 'mobile_app', property_id: 'app', publisher_domain: acme }
const named = (name: string) => ({
  ...app,
  name,
  identifiers: [{ type: 'ios_bundle', value: name }],
})

/** Entries of one agent: few words, so that some are alike and others differ in their terms alone. */
const entry = fc
  .record({
    reached: fc.constantFrom(
      { authorization_type: 'property_ids', property_ids: ['site'] },
      { authorization_type: 'property_ids', property_ids: ['app', 'site'] },
      { authorization_type: 'inline_properties', properties: [named('one')] },
      { authorization_type: 'inline_properties', properties: [named('two')] },
    ),
    countries: fc.constantFrom(['US'], ['GB', 'US']),
  })
  .map(({ reached, ...terms }) => ({ url: sales, authorized_for: 'All', ...reached, ...terms }))

const night = fc.record({
  /** Location of the file: the domain's own, or one that this points to. */
  place: fc.constantFrom(acme, acme, ...files),
  authorized_agents: fc.array(entry, { maxLength: 4 }),
  apps: fc.subarray([named('one'), named('two')]),
})

const turned = ({ properties, authorized_agents }: Record<string, object[]>) => ({
  properties: [...properties!].reverse(),
  authorized_agents,
})

test('events of an agent’s grants keep a replica in step, and none is sent when properties change places', async () => {
  const nights = fc.array(night, { minLength: 2, maxLength: 4, size: 'max' })
  await fc.assert(
    fc.asyncProperty(nights, path =>
      runNights(async all => {
        const replica = new Replica()
        const hear = async (seen: Record<string, object>) => {
          const events = await all.night(seen)
          replica.apply(events)
          expect(listContradictions(events)).toEqual([])
          expect(replica.state).toEqual(await readReplicaState(all.db))
          return events.map(({ event_type }) => event_type)
        }
        for (const { place, apps, authorized_agents } of path) {
          const file = { properties: [buildWebsite(acme), ...apps], authorized_agents }
          if (place !== acme) {
            await hear({ [place]: file, [acme]: { authoritative_location: place } })
            await hear({ [acme]: { authoritative_location: place } })
          }
          await hear({ [place]: file })
          const events = await hear({ [place]: turned(file) })
          expect(events.filter(type => type !== 'publisher.adagents_changed')).toEqual([])
          if (place !== acme) expect(events).toEqual([])
        }
      }),
    ),
    { numRuns: 12 },
  )
})
