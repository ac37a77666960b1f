import { copyFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { verify } from '../../../pipeline/maintenance/verify-stores.ts'
import { readCheckpoint } from '../../../pipeline/store/checkpoint.ts'
import { Database } from '../../../pipeline/store/duckdb.ts'
import type { Committed } from '../../../pipeline/writer/commit-in-parts.ts'
import { buildBaseBatch, buildNextBatch } from '../../support/fixtures/batches.ts'
import { cleanUp, createDataDir, openSequencer } from '../../support/registry/registry.ts'
import { testClock } from '../../support/worlds/clock.ts'

const ROWS = 150_000
const fill = (db: Database, from: number) =>
  db.run(
    `insert into seen select i, 'text of ' || i || repeat('x', 20) from range(${from}, ${from + ROWS}) r(i)`,
  )

async function readContents(file: string) {
  const db = await Database.open(file, { readOnly: true })
  const row = await db.one(
    `select count(*)::double as rows, sum(n)::double as sum, count(distinct text)::double as texts from seen`,
  )
  db.close()
  return row
}

async function openFile() {
  const dir = createDataDir()
  const db = await Database.open(`${dir}/index.duckdb`)
  cleanUp(async () => db.close())
  await db.run('create table seen (n bigint, text varchar)')
  await fill(db, 0)
  return { db, dir, sum: (ROWS * (ROWS - 1)) / 2 }
}

it('a frozen file shows its state at that time, however much is committed while it is copied', async () => {
  const { db, dir, sum } = await openFile()
  const before = { rows: ROWS, sum, texts: ROWS }
  const { release } = await db.checkpoints.freeze()
  const copies = [`${dir}/at-once`]
  copyFileSync(db.file, copies[0]!)
  for (let n = 1; n <= 4; n++) {
    await db.transaction(async () => {
      await fill(db, n * ROWS)
      await db.run(`delete from seen where n % 7 = ${n}`)
      await db.run(`update seen set text = 'other' where n % 11 = ${n}`)
    })
    copies.push(`${dir}/after-${n}`)
    copyFileSync(db.file, copies[n]!)
  }
  for (const copy of copies) expect(await readContents(copy)).toEqual(before)
  await release()
  const { release: again } = await db.checkpoints.freeze()
  copyFileSync(db.file, `${dir}/again`)
  await again()
  expect(await readContents(`${dir}/again`)).toEqual(
    await db.one(
      `select count(*)::double as rows, sum(n)::double as sum, count(distinct text)::double as texts from seen`,
    ),
  )
})

it('a file is frozen for one copy after the other', async () => {
  const { db, dir } = await openFile()
  const first = await db.checkpoints.freeze()
  let isSecond = false
  const second = db.checkpoints.freeze().then(({ release }) => {
    isSecond = true
    return release()
  })
  await fill(db, ROWS)
  expect(isSecond).toBe(false)
  copyFileSync(db.file, `${dir}/first`)
  await first.release()
  await second
  expect(await readContents(`${dir}/first`)).toMatchObject({ rows: ROWS })
})

it('a commit during the copy of a snapshot succeeds, and the next snapshot shows it', async () => {
  const clock = testClock('2026-11-20T03:00Z')
  let meanwhile: Promise<Committed> | undefined
  const registry = await openSequencer({
    clock,
    dataDir: createDataDir(),
    onStep(step, moment) {
      if (step !== 'snapshot' || moment !== 'before') return
      meanwhile ??= registry.commit(buildNextBatch(clock.now()))
    },
  })
  cleanUp(() => registry.close())
  await registry.commit(buildBaseBatch(clock.now()))
  clock.tick({ days: 1 })
  const shown = async () => {
    const { seq, snapshot } = readCheckpoint(registry.paths)!
    const copy = await Database.open(`${registry.paths.snapshots}/${snapshot}`, { readOnly: true })
    const meta = await copy.one<{ seq: number }>('select seq from meta')
    copy.close()
    return [seq, meta?.seq]
  }
  await registry.publish()
  expect(await shown()).toEqual([1, 1])
  expect((await meanwhile)?.seq).toBe(2)
  await registry.publish()
  expect(await shown()).toEqual([2, 2])
  expect(await registry.quietly(() => verify(registry))).toEqual([])
})
