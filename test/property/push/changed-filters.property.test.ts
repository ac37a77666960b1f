import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MINUTE } from '../../../pipeline/core/clock.ts'
import type { FeedEvent } from '../../../pipeline/model/event.ts'
import { openDelivering } from '../../support/registry/deliveries.ts'

const domains = ['a.example', 'b.example', 'c.example']
const about = (entity_id: string): Partial<FeedEvent> => ({
  event_type: 'publisher.adagents_changed',
  entity_type: 'publisher',
  entity_id,
  payload: { publisher_domain: entity_id },
})

const drawStep = fc.oneof(
  fc.record({ commit: fc.array(fc.constantFrom(...domains), { minLength: 1, maxLength: 5 }) }),
  fc.record({
    change: fc.uniqueArray(fc.constantFrom(...domains), { minLength: 1, maxLength: 2 }),
  }),
  fc.record({ wait: fc.integer({ min: 0, max: 150 }) }),
  fc.record({ tick: fc.constant(MINUTE) }),
  fc.record({ restart: fc.constant(true) }),
)

/** Filters after the position that the subscriber was shown; a delivery up to `until` may still be the one before. */
interface Filter {
  after: string
  until: string
  domains: string[]
}

/** Tells whether each, or any, of the filters that may apply to an event selects it. */
function checkSelected({ event_id, entity_id }: FeedEvent, filters: readonly Filter[]) {
  const first = filters.findLastIndex(({ until }) => until < event_id)
  const matches = filters
    .slice(first)
    .filter(({ after }) => after < event_id)
    .map(filter => filter.domains.includes(entity_id))
  return { must: matches.every(Boolean), may: matches.some(Boolean) }
}

test('whenever filters change, each event after the shown cursor that matches the new ones arrives, and once', async () => {
  const delivering = await openDelivering({ deliveryEvents: 2 })
  const { receivers, subscribe, unsubscribe, change, commit, clock } = delivering
  let runs = 0
  const property = fc.asyncProperty(
    fc.array(drawStep, { minLength: 3, maxLength: 14 }),
    async steps => {
      const receiver = receivers.add(`receiver-${runs++}.example`)
      const cursor = commit({})[0]!.event_id
      const id = subscribe({ url: receiver.url, cursor, domains: ['a.example'] })
      const filters: Filter[] = [{ after: cursor, until: cursor, domains: ['a.example'] }]
      const committed: FeedEvent[] = []
      const changeTo = (to: string[]) => {
        change(id, { domains: to })
        const shown = delivering.state.findProgress(id)
        const after = shown?.cursor ?? cursor
        filters.push({ after, until: shown?.pending?.to ?? after, domains: to })
      }
      for (const step of [...steps, { change: domains }, { commit: ['a.example'] }]) {
        if ('commit' in step) committed.push(...commit(...step.commit.map(about)))
        else if ('change' in step) changeTo(step.change)
        else if ('wait' in step) await setTimeout(step.wait)
        else if ('tick' in step) clock.tick(step.tick)
        else await delivering.restart()
      }
      const ids = (events: FeedEvent[]) => events.map(({ event_id }) => event_id)
      const arrived = () => ids(receiver.listEvents())
      await expect.poll(() => arrived().at(-1)).toBe(committed.at(-1)!.event_id)
      const may = committed.filter(event => checkSelected(event, filters).may)
      const must = committed.filter(event => checkSelected(event, filters).must)
      expect(arrived()).toEqual(ids(may).filter(event => arrived().includes(event)))
      expect(arrived()).toEqual(expect.arrayContaining(ids(must)))
      unsubscribe(id)
    },
  )
  await fc.assert(property, { numRuns: 25, seed: 20_261_130 })
}, 120_000)
