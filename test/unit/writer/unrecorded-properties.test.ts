import { expect, test } from 'vitest'
import { verify } from '../../../pipeline/maintenance/verify-stores.ts'
import type { FeedEvent } from '../../../pipeline/model/event.ts'
import type { Sequencer } from '../../../pipeline/writer/sequencer.ts'
import { observeFile } from '../../support/fixtures/observations.ts'
import {
  buildOrganizationWrite,
  buildProofWrite,
  buildPropertiesSave,
} from '../../support/fixtures/submissions.ts'
import { cleanUp, createDataDir, openSequencer } from '../../support/registry/registry.ts'
import { testClock } from '../../support/worlds/clock.ts'
import { buildShop } from '../../support/worlds/nights.ts'

const clock = testClock('2026-11-20T03:00Z')
const domains = Array.from({ length: 250 }, (_, i) => `told${i}.example`)

const eventsAfter = (sequencer: Sequencer, seq: number) =>
  sequencer.index.all<FeedEvent & { seq: number }>(
    'select * from events where seq > $seq order by event_id',
    { seq },
  )

test('entries saved before properties were records get them when the index is opened, once', async () => {
  const dataDir = createDataDir()
  const opening = { dataDir, clock, settings: { REQUIRE_OWNERSHIP_PROOF: 'false' } }
  let sequencer = await openSequencer(opening)
  cleanUp(() => sequencer.close())
  const saves = [...domains, 'owned.example'].map(domain =>
    buildPropertiesSave('Acme', domain, ['One', 'Two']),
  )
  const submissions = [
    buildOrganizationWrite('Acme'),
    buildProofWrite('Acme', 'owned.example'),
    ...saves,
  ]
  await sequencer.commit({ observations: [], submissions })
  await sequencer.commit({
    observations: [
      observeFile('adagents.json', 'owned.example', buildShop('owned.example'), clock.now()),
    ],
    submissions: [],
  })
  expect(await verify(sequencer)).toEqual([])

  const rows = await sequencer.index.all<{ property_rid: string }>(
    `select property_rid from properties where source = 'contributed'
       and publisher_domain != 'owned.example' order by property_rid`,
  )
  expect(rows.length).toBeGreaterThanOrEqual(2 * domains.length)
  await sequencer.index.run("delete from properties where source = 'contributed'")
  expect(await verify(sequencer)).toContainEqual(
    expect.stringContaining('saved properties have no record'),
  )

  const reopen = async () => {
    await sequencer.close()
    sequencer = await openSequencer(opening)
    return sequencer.seq
  }
  const before = sequencer.seq
  const after = await reopen()
  expect(await verify(sequencer)).toEqual([])
  const events = await eventsAfter(sequencer, before)
  expect(new Set(events.map(({ event_type, actor }) => `${event_type} ${actor}`))).toEqual(
    new Set(['property.created registry:save']),
  )
  const shown = events.map(({ entity_id }) => entity_id).sort()
  expect(shown).toEqual(rows.map(({ property_rid }) => property_rid))
  expect(new Set(events.map(({ seq }) => seq)).size).toBeGreaterThan(1)
  expect(await reopen()).toBe(after)
})
