import { expect, test } from 'vitest'
import type { StoredWatch } from '../../../../pipeline/model/watch.ts'
import type { Database } from '../../../../pipeline/store/database.ts'
import { loadWatchedRows } from '../../../../pipeline/writer/watching/watched-rows.ts'
import { withIndex } from '../../../support/registry/memory-index.ts'
import { testClock } from '../../../support/worlds/clock.ts'

const clock = testClock()

/** Loads what is new for a watch that was reported up to a commit; the last commit is 9. */
async function load(index: Database, reported_seq: number) {
  const watch: StoredWatch = {
    watch_id: 'w',
    user_id: 'ann',
    kind: 'domain',
    subject: 'acme.example',
    pace: 'at_once',
    email: 'ann@a.example',
    created_at: '2026-01-01T00:00:00.000Z',
    reported_seq,
    known: null,
  }
  const rows = await loadWatchedRows(index, [watch], { seq: 9, now: clock.now() })
  const list = (all: readonly { seq: number }[]) => [...new Set(all.map(({ seq }) => seq))]
  return { seq: rows.seq, events: list(rows.events), entries: list(rows.entries) }
}

function addEvents(index: Database, seq: number, count: number) {
  return index.run(
    `insert into events select hex(randomblob(16)), 'authorization.granted', 'authorization', 'x',
       json_object('publisher_domain', 'acme.example', 'agent_url', 'https://ads.example/' || value),
       'pipeline:crawler', ms('2026-11-20T03:00:00Z'), $seq from (with recursive n (value) as (select 1 union all select value + 1 from n where value < ${count})
         select value from n)`,
    { seq },
  )
}

function addEntries(index: Database, seq: number, count: number) {
  return index.run(
    `insert into entries select 'brand', 'site-' || $seq || '-' || value || '.example', hex(randomblob(16)), 'community',
       null, '{}', null, 1, 'live', ms('2026-11-20T03:00:00Z'), ms('2026-11-20T03:00:00Z'), $seq
     from (with recursive n (value) as (select 1 union all select value + 1 from n where value < ${count})
         select value from n)`,
    { seq },
  )
}

test('all is read up to the last commit', async () => {
  await withIndex(clock, async ({ db }) => {
    await addEvents(db, 3, 5)
    await addEntries(db, 4, 5)
    expect(await load(db, 1)).toEqual({ seq: 9, events: [3], entries: [4] })
    expect(await load(db, 3)).toEqual({ seq: 9, events: [], entries: [4] })
    expect(await load(db, 9)).toEqual({ seq: 9, events: [], entries: [] })
  })
})

test('entries that are too many are read on at the next look, and no event comes twice', async () => {
  await withIndex(clock, async ({ db }) => {
    await addEntries(db, 2, 600)
    await addEntries(db, 4, 600)
    await addEvents(db, 3, 1)
    await addEvents(db, 5, 1)
    expect(await load(db, 1)).toEqual({ seq: 3, events: [3], entries: [2] })
    expect(await load(db, 3)).toEqual({ seq: 9, events: [5], entries: [4] })
  })
})

test('events that are too many are read on at the next look, and one large commit does not stop it', async () => {
  await withIndex(clock, async ({ db }) => {
    await addEvents(db, 2, 1)
    await addEvents(db, 4, 25_000)
    await addEvents(db, 6, 1)
    await addEntries(db, 5, 1)
    expect(await load(db, 1)).toEqual({ seq: 3, events: [2], entries: [] })
    expect(await load(db, 3)).toEqual({ seq: 4, events: [4], entries: [] })
    expect(await load(db, 4)).toEqual({ seq: 9, events: [6], entries: [5] })
  })
})
