import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { AnswerLog } from '../../../../jobs/fleet/answer-log.ts'
import { startBackups } from '../../../../jobs/fleet/backup-loop.ts'
import { RecordCounter, STATE_KEY } from '../../../../jobs/fleet/writer-state.ts'
import { MINUTE, toIso } from '../../../../pipeline/core/clock.ts'
import { readConfig } from '../../../../pipeline/core/config.ts'
import { silentLog } from '../../../../pipeline/core/log.ts'
import { openBackupStore } from '../../../../pipeline/replica/backup-store.ts'
import { buildOrganizationWrite } from '../../../support/fixtures/submissions.ts'
import { waitUntil } from '../../../support/processes/command.ts'
import { openFleetRedis } from '../../../support/processes/fleet-redis.ts'
import { cleanUp, createDataDir, openTestSequencer } from '../../../support/registry/registry.ts'
import { testClock } from '../../../support/worlds/clock.ts'

const FENCE = 1
const BEGAN = '2026-11-20T03:00:00.000Z'

test('failing backups are overdue at once before the first, and after two intervals later', async () => {
  const place = join(createDataDir(), 'backups')
  const clock = testClock(BEGAN)
  const sequencer = await openTestSequencer(clock)
  const redis = await (await openFleetRedis()).connect()
  await redis.hset(STATE_KEY, 'fence', FENCE)
  const signal = new AbortController().signal
  writeFileSync(place, 'a file in the place of the folder')
  const backups = startBackups({
    config: readConfig({ BACKUP_TO: place }),
    store: openBackupStore(place, signal),
    sequencer,
    answers: new AnswerLog(redis, FENCE, new RecordCounter(0, () => undefined)),
    fence: FENCE,
    clock,
    log: silentLog,
    signal,
  })
  cleanUp(async () => {
    backups.stop()
    await backups.ended
  })
  await waitUntil(async () => backups.report().problem !== undefined)
  expect(backups.report()).toMatchObject({ made_at: null, is_overdue: true })

  rmSync(place)
  await waitUntil(async () => backups.report().problem === undefined)
  const whole = { bucket: place, made_at: toIso(clock.now()), behind_ms: 0, is_overdue: false }
  expect(backups.report()).toEqual(whole)

  rmSync(place, { recursive: true })
  writeFileSync(place, 'a file again')
  await sequencer.commit({ observations: [], submissions: [buildOrganizationWrite('acme')] })
  backups.request()
  await waitUntil(async () => backups.report().problem !== undefined)
  clock.tick(30 * MINUTE)
  expect(backups.report()).toMatchObject({ made_at: BEGAN, is_overdue: false })
  clock.tick(1)
  expect(backups.report()).toMatchObject({ made_at: BEGAN, is_overdue: true })
})
