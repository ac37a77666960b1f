import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { limitTime } from '../../support/checks/time-limit.ts'
import { Consumer } from '../../support/clients/consumer.ts'
import { readReplicaState } from '../../support/clients/replica.ts'
import { openRegistry, type TestRegistry } from '../../support/registry/app.ts'
import type { MemoryIndex } from '../../support/registry/memory-index.ts'
import { type Night, nights } from '../../support/worlds/arbitrary-nights.ts'
import { NightRunner } from '../../support/worlds/night-runner.ts'

/** Creates a runner of nights on a whole registry, with its files and its API. */
function createNightRunner(registry: TestRegistry): NightRunner {
  const { sequencer, clock } = registry
  const commit: MemoryIndex['commit'] = async batch => {
    const { observations = [], ...rest } = 'length' in batch ? { observations: batch } : batch
    const begun = observations.map(observation => ({ after_seq: sequencer.seq, ...observation }))
    await sequencer.commit({ submissions: [], ...rest, observations: begun })
    return []
  }
  const index = { db: sequencer.index, commit } as MemoryIndex
  return new NightRunner(index, clock)
}

/** Loads the lists of the index that a consumer can know: publishers only show in their first events. */
async function loadLists({ sequencer }: TestRegistry) {
  const { publishers: _, ...lists } = await readReplicaState(sequencer.index)
  return lists
}

function readKnownLists({ replica }: Consumer) {
  const { publishers: _, ...lists } = replica.state
  return lists
}

type Row = Record<string, unknown>

/** Lists the pairs of an agent and an active property for which the replica has a grant. */
function listPairs({ replica }: Consumer): string[] {
  const { authorizations, properties } = replica.state
  const pairs = Object.values(authorizations).flatMap(({ agent_url, property_rids }) =>
    (property_rids as string[])
      .filter(rid => properties[rid]?.status === 'active')
      .map(rid => `${agent_url} ${rid}`),
  )
  return [...new Set(pairs)].sort()
}

/** Lists these pairs by looking up every identifier of a property. */
async function lookUpPairs({ app }: TestRegistry, { replica }: Consumer): Promise<string[]> {
  const identifiers = new Set(
    Object.values(replica.state.properties).flatMap(({ identifiers }) =>
      (identifiers as { type: string; value: string }[]).map(identifier =>
        new URLSearchParams({ type: identifier.type, value: identifier.value }).toString(),
      ),
    ),
  )
  const pairs = new Set<string>()
  for (const identifier of identifiers) {
    const answer = await app.inject(`/api/registry/lookup/property?${identifier}`)
    for (const { agent_url, property } of answer.json().agents as Row[]) {
      pairs.add(`${agent_url} ${(property as Row).property_rid}`)
    }
  }
  return [...pairs].sort()
}

describe('a replica that starts from search, authorizations, catalog and collections', () => {
  it('and follows the feed from their cursor equals the index after any nights', async () => {
    let compared = 0
    const check = limitTime(25, async (path: Night[], first: number, isTorn: boolean) => {
      const registry = await openRegistry()
      try {
        const consumer = new Consumer(registry.app, await registry.createKey('Replica'))
        const runner = createNightRunner(registry)
        const left = [...path]
        const live = async () => {
          const night = left.shift()
          if (night !== undefined) await runner.run(night)
        }
        const begin = async () => {
          await registry.publish()
          // The feed is ahead of the snapshot from here on.
          await live()
          await registry.reader.refresh()
          const between = async () => {
            await live()
            await registry.publish()
          }
          await consumer.begin(isTorn ? between : undefined)
        }
        for (let night = 0; night <= first; night++) await live()
        await begin()
        for (;;) {
          if (!(await consumer.follow())) {
            await begin()
            continue
          }
          expect(readKnownLists(consumer)).toEqual(await loadLists(registry))
          await registry.reader.refresh()
          const pairs = listPairs(consumer)
          expect(pairs).toEqual(await lookUpPairs(registry, consumer))
          compared += pairs.length
          if (left.length === 0) return
          await live()
        }
      } finally {
        await registry.close()
      }
    })
    await fc.assert(fc.asyncProperty(nights, fc.nat({ max: 3 }), fc.boolean(), check), {
      numRuns: 25,
    })
    expect(compared).toBeGreaterThan(0)
  })
})
