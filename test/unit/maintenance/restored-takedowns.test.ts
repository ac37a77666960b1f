import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import type { Domain } from '../../../pipeline/core/domain.ts'
import { restore } from '../../../pipeline/maintenance/restore.ts'
import { verify } from '../../../pipeline/maintenance/verify-stores.ts'
import type { Sequencer } from '../../../pipeline/writer/sequencer.ts'
import { buildBaseBatch } from '../../support/fixtures/batches.ts'
import { buildSubmission } from '../../support/fixtures/submissions.ts'
import { cleanUp, createDataDir, openSequencer } from '../../support/registry/registry.ts'
import { testClock } from '../../support/worlds/clock.ts'

vi.setConfig({ testTimeout: 60_000 })

const clock = testClock('2026-11-20T03:00Z')
const options = { force: true, repeatsTakedowns: true }

let number = 0
function write(registry: Sequencer, op: 'domain.takedown' | 'domain.readmit', domain: string) {
  const submission = buildSubmission(`${op} ${number++}`, { op, domain: domain as Domain })
  return registry.commit({ observations: [], submissions: [submission] })
}

const listPublishers = async ({ index }: Sequencer) =>
  (await index.all<{ domain: string }>('select domain from publishers order by domain')).map(
    ({ domain }) => domain,
  )
const listTakenDown = ({ accounts }: Sequencer) =>
  accounts.db
    .all<{ domain: string }>('select domain from taken_down order by domain')
    .map(({ domain }) => domain)

/** Makes a registry that backs up, and takes its first publisher down, and accepts another domain again, afterwards. */
async function makeTakenDown() {
  const [dataDir, backups] = [createDataDir(), createDataDir()]
  const registry = await openSequencer({ dataDir, clock })
  await registry.commit(buildBaseBatch(clock.now()))
  await write(registry, 'domain.takedown', 'earlier.example')
  await write(registry, 'domain.takedown', 'readmitted.example')
  const backup = `${backups}/first`
  await registry.backUp(backup)
  const [first, second, ...others] = (await listPublishers(registry)) as [
    string,
    string,
    ...string[],
  ]
  for (const [op, domain] of [
    ['domain.takedown', first],
    ['domain.readmit', 'readmitted.example'],
    ['domain.takedown', second],
    ['domain.readmit', second],
  ] as const)
    await write(registry, op, domain)
  await registry.publish()
  await registry.close()
  return { dataDir, backup, first, second, others }
}

async function open(dataDir: string): Promise<Sequencer> {
  const registry = await openSequencer({ dataDir, clock })
  cleanUp(() => registry.close())
  return registry
}

test('a restore repeats the takedowns since the backup, names them, and brings back nothing that they deleted', async () => {
  const { dataDir, backup, first, second, others } = await makeTakenDown()
  const { takedowns } = await restore(dataDir, backup, options)
  expect(takedowns).toEqual({
    takenDown: [first, second],
    readmitted: ['readmitted.example'],
    toReadmit: [second],
  })
  const registry = await open(dataDir)
  expect(await listPublishers(registry)).toEqual(others)
  expect(listTakenDown(registry)).toEqual(['earlier.example', first, second].toSorted())
  const audit = registry.accounts.db.all<{ domain: string }>(
    `select content ->> '$.domain' as domain from submissions where operation = 'domain.takedown'`,
  )
  expect(audit.map(({ domain }) => domain)).toContain(first)
  await registry.publish()
  expect(await verify(registry)).toEqual([])
})

test('a second restore repeats them again', async () => {
  const { dataDir, backup, first } = await makeTakenDown()
  for (let times = 0; times < 2; times++) {
    const { takedowns } = await restore(dataDir, backup, options)
    expect(takedowns?.takenDown).toContain(first)
    await (await openSequencer({ dataDir, clock })).close()
  }
})

test('a restore of a record that is newer than the one before repeats nothing', async () => {
  const { dataDir, backup } = await makeTakenDown()
  const fresh = createDataDir()
  await restore(fresh, backup, options)
  const registry = await openSequencer({ dataDir, clock })
  const later = `${createDataDir()}/later`
  await registry.backUp(later)
  await registry.close()
  const { takedowns } = await restore(fresh, later, options)
  expect(takedowns).toEqual({ takenDown: [], readmitted: [], toReadmit: [] })
})

test.each(['missing', 'damaged', 'half restored'])(
  'a restore over a %s record says that it repeats none, and keeps one that it cannot read',
  async kind => {
    const { dataDir, backup, first } = await makeTakenDown()
    const into = kind === 'missing' ? createDataDir() : dataDir
    if (kind === 'damaged')
      writeFileSync(`${dataDir}/record/record.sqlite`, 'nothing that can be read')
    if (kind === 'half restored') writeFileSync(`${dataDir}/restoring`, '{}')
    const { takedowns, kept } = await restore(into, backup, options)
    expect(kept && readFileSync(kept, 'utf8')).toBe(
      kind === 'damaged' ? 'nothing that can be read' : undefined,
    )
    expect([takedowns, existsSync(`${into}/restoring`)]).toEqual([undefined, false])
    expect(await listPublishers(await open(into))).toContain(first)
  },
)

test('a restore tells a later history of the backup from another one', async () => {
  const { dataDir, backup } = await makeTakenDown()
  expect((await restore(dataDir, backup, options)).replaced?.isSuccessor).toBe(true)
  const other = createDataDir()
  const registry = await openSequencer({ dataDir: other, clock })
  await write(registry, 'domain.takedown', 'earlier.example')
  await registry.close()
  expect((await restore(other, backup, options)).replaced?.isSuccessor).toBe(false)
})
