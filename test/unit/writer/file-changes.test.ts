import { describe, expect, it } from 'vitest'
import { DAY } from '../../../pipeline/core/clock.ts'
import { observeFile } from '../../support/fixtures/observations.ts'
import { withIndex } from '../../support/registry/memory-index.ts'
import { testClock } from '../../support/worlds/clock.ts'
import { buildPointer, buildShop, listEventTypes, runNights } from '../../support/worlds/nights.ts'

const start = '2026-11-20T03:00Z'

describe('the content of a file', () => {
  it('does not count when it arrives more than a week late', async () => {
    const clock = testClock(start)
    await withIndex(clock, async index => {
      const observation = observeFile(
        'adagents.json',
        'a.example',
        buildShop('a.example'),
        clock.now() - 8 * DAY,
      )
      const events = await index.commit([observation])
      expect(listEventTypes(events, 'authorization')).toEqual([])
      expect(await index.db.all('select valid from publishers')).toEqual([{ valid: false }])
    })
  })

  it('counts until the new target of the pointer was read, and no longer than it is valid', async () => {
    await runNights(async ({ night, wait, db }) => {
      await night({ 'a.example': buildShop('a.example') })
      await night({ 'a.example': buildPointer('m.example') })
      expect(
        listEventTypes(await night({ 'm.example': 'timeout', 'a.example': 'unchanged' })),
      ).toEqual([])
      expect(await db.all('select agent_url from authorizations')).toHaveLength(1)
      const events = await wait({ days: 7 })
      expect(listEventTypes(events)).toContain('authorization.revoked')
      expect(await db.all('select valid from publishers')).toEqual([{ valid: false }])
    })
  })

  it('counts at its old target until the new one was read', async () => {
    await runNights(async ({ night, db }) => {
      const managers = { 'm.example': managed('M'), 'n.example': managed('N') }
      await night({ 'a.example': buildPointer('m.example'), ...managers, 'n.example': 'timeout' })
      await night({ 'a.example': buildPointer('n.example') })
      await night({ 'a.example': buildPointer('n.example'), 'n.example': 'timeout' })
      const names = () =>
        db.all(
          "select name from properties where publisher_domain = 'a.example' and status = 'active'",
        )
      expect(await names()).toEqual([{ name: 'M' }])
      await night({ 'n.example': managed('N') })
      expect(await names()).toEqual([{ name: 'N' }])
    })
  })

  function managed(name: string) {
    const identifiers = [{ type: 'domain', value: 'a.example' }]
    const publisher_domain = 'a.example'
    return {
      properties: [{ property_type: 'website', name, identifiers, publisher_domain }],
      authorized_agents: [],
    }
  }
})

describe('a property that first appears in a file that is no longer valid', () => {
  it('is reported as created and stale', async () => {
    await runNights(async ({ night, db }) => {
      await night({ 'a.example': buildPointer('m.example'), 'm.example': managed() })
      await night({ 'a.example': 'absent' })
      const more = managed({ publisher_domain: 'a.example', name: 'New' })
      expect(
        listEventTypes(await night({ 'm.example': more }, { minutes: 5 }), 'property'),
      ).toEqual(['property.created', 'property.stale'])
      expect(await db.all("select status from properties where name = 'New'")).toEqual([
        { status: 'stale' },
      ])
    })
  })

  it('becomes stale with the failure, also when it was not listed before', async () => {
    await runNights(async ({ night, db }) => {
      const listed = managed({ publisher_domain: 'a.example', name: 'Site' })
      await night({ 'a.example': buildPointer('m.example'), 'm.example': listed })
      await night({ 'm.example': managed() })
      await night({ 'a.example': 'absent' })
      await night({ 'm.example': { ...listed, superseded_by: 'n.example' } }, { minutes: 5 })
      expect(await db.all('select status, stale_reason from properties')).toEqual([
        { status: 'stale', stale_reason: 'validation_failed' },
      ])
    })
  })

  const identifiers = [{ type: 'domain', value: 'a.example' }]
  const managed = (...properties: object[]) => ({
    properties: properties.map(property => ({
      property_type: 'website',
      identifiers,
      ...property,
    })),
    authorized_agents: [],
  })
})

describe('a house with one more reference', () => {
  it('makes the brand known, although nothing else of the house has changed', async () => {
    const clock = testClock(start)
    await withIndex(clock, async index => {
      const house = (...refs: string[]) => ({
        house: { domain: 'h.example', name: 'House' },
        brands: [{ id: 'h', names: [{ en: 'House' }], keller_type: 'master' }],
        brand_refs: refs.map(domain => ({ domain, brand_id: 'b' })),
      })
      await index.commit([observeFile('brand.json', 'h.example', house(), clock.now())])
      clock.tick({ days: 1 })
      await index.commit([observeFile('brand.json', 'h.example', house('k.example'), clock.now())])
      const known = await index.db.all('select domain, why from frontier')
      expect(known).toEqual([{ domain: 'k.example', why: 'mentioned' }])
    })
  })
})
