import { describe, expect, it, test } from 'vitest'
import { isInForce, listBoundaries } from '../../../pipeline/resolve/window.ts'
import {
  buildShop,
  grantByIds,
  listEventTypes,
  type Nights,
  runNights,
} from '../../support/worlds/nights.ts'

const acme = 'acme.example'
const sales = 'https://sales.example/mcp'
/** The first night is 2026-11-21T03:00Z. */
const from = '2026-11-23T12:00:00Z'
const until = '2026-11-25T12:00:00Z'

const granting = (...entries: object[]) => ({
  [acme]: buildShop(acme, { authorized_agents: entries }),
})

function loadGrants({ db }: Nights) {
  return db.all<{
    in_force: boolean
    effective_from: string | null
    effective_until: string | null
  }>('select in_force, effective_from, effective_until from authorizations order by entry')
}

/** Lists each agent with the number of publishers that grant it anything. */
async function listAgents({ db }: Nights): Promise<string[]> {
  const rows = await db.all<{ said: string }>(
    "select concat_ws(' ', agent_url, publisher_count) as said from agents order by said",
  )
  return rows.map(({ said }) => said)
}

describe('a window', () => {
  test.each<[string, boolean]>([
    ['2026-11-23T11:59:59.999Z', false],
    ['2026-11-23T12:00:00.000Z', true],
    ['2026-11-25T12:00:00.000Z', true],
    ['2026-11-25T12:00:00.001Z', false],
  ])('at %s is open: %s', (at, expected) => {
    expect(isInForce({ effective_from: from, effective_until: until }, Date.parse(at))).toBe(
      expected,
    )
  })

  it('without bounds is always open', () => {
    expect(isInForce({}, 0)).toBe(true)
    expect(listBoundaries({})).toEqual([])
  })

  it('that ends before it begins is never open', () => {
    const odd = { effective_from: until, effective_until: from }
    expect([from, until, '2026-11-24T00:00Z'].map(at => isInForce(odd, Date.parse(at)))).toEqual([
      false,
      false,
      false,
    ])
  })

  it('changes exactly at its boundaries', () => {
    const window = { effective_from: from, effective_until: until }
    for (const at of listBoundaries(window)) {
      expect(isInForce(window, at)).not.toBe(isInForce(window, at - 1))
    }
  })
})

describe('a grant with a window', () => {
  const windowed = grantByIds(sales, { effective_from: from, effective_until: until })

  it('is indexed before it opens, and authorizes nobody', () =>
    runNights(async nights => {
      const events = await nights.night(granting(windowed))
      expect(listEventTypes(events)).toEqual([
        'publisher.adagents_discovered',
        'property.created',
        'agent.discovered',
      ])
      expect(await loadGrants(nights)).toEqual([
        { in_force: false, effective_from: from, effective_until: until },
      ])
      expect(await listAgents(nights)).toEqual([`${sales} 0`])
      const row = await nights.db.one('select agent_count from publishers')
      expect(row).toEqual({ agent_count: 0 })
    }))

  it('is granted when the window opens and revoked when it closes, without a crawl', () =>
    runNights(async nights => {
      await nights.night(granting(windowed))
      expect(await nights.wait({ days: 2, hours: 8, minutes: 59 })).toEqual([])
      const opened = await nights.wait({ minutes: 1 })
      expect(listEventTypes(opened)).toEqual(['authorization.granted', 'agent.profile_updated'])
      expect(opened[0]!.payload.updated_at).toBe('2026-11-23T12:00:00.000Z')
      expect(await listAgents(nights)).toEqual([`${sales} 1`])
      expect(await nights.wait({ days: 2 })).toEqual([])
      const closed = await nights.wait({ ms: 1 })
      expect(listEventTypes(closed)).toEqual(['authorization.revoked', 'agent.profile_updated'])
      expect(closed[0]!.payload.updated_at).toBe('2026-11-25T12:00:00.001Z')
      expect(closed[0]!.entity_id).toBe(opened[0]!.entity_id)
      expect(await loadGrants(nights)).toMatchObject([{ in_force: false }])
      expect(await nights.wait({ days: 1 })).toEqual([])
    }))

  it('that opened and closed while the registry was stopped causes no event', () =>
    runNights(async nights => {
      await nights.night(granting(windowed))
      expect(listEventTypes(await nights.night({ [acme]: 'unchanged' }, { days: 5 }))).toEqual([])
      expect(await loadGrants(nights)).toMatchObject([{ in_force: false }])
    }))

  it('is modified only while it is open', () =>
    runNights(async nights => {
      await nights.night(granting(windowed))
      const other = { ...windowed, authorized_for: 'Less' }
      expect(listEventTypes(await nights.night(granting(other)), 'authorization')).toEqual([])
      await nights.wait({ days: 1, hours: 9 })
      const events = await nights.night(granting(windowed), { hours: 1 })
      expect(listEventTypes(events, 'authorization')).toEqual(['authorization.modified'])
      await nights.wait({ days: 2 })
      expect(listEventTypes(await nights.night(granting(other)), 'authorization')).toEqual([])
      expect(listEventTypes(await nights.night(granting()), 'authorization')).toEqual([])
    }))

  it('is granted at once when its publisher moves the window to now, revoked when it is moved away', () =>
    runNights(async nights => {
      await nights.night(granting(windowed))
      const now = granting(grantByIds(sales, { effective_until: until }))
      expect(listEventTypes(await nights.night(now), 'authorization')).toEqual([
        'authorization.granted',
      ])
      const past = granting(grantByIds(sales, { effective_until: '2026-11-22T00:00:00Z' }))
      expect(listEventTypes(await nights.night(past), 'authorization')).toEqual([
        'authorization.revoked',
      ])
    }))

  it('does not hide another grant of the same agent', () =>
    runNights(async nights => {
      await nights.night(granting(windowed, grantByIds(sales, { countries: ['GB'] })))
      expect(await loadGrants(nights)).toMatchObject([{ in_force: false }, { in_force: true }])
      expect(await listAgents(nights)).toEqual([`${sales} 1`])
      const opened = await nights.wait({ days: 3 })
      expect(listEventTypes(opened)).toEqual(['authorization.granted'])
    }))
})
