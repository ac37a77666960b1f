import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../pipeline/core/config.ts'
import { restore } from '../../../pipeline/maintenance/restore.ts'
import { resolvePaths } from '../../../pipeline/store/paths.ts'
import {
  describeRecovery,
  PUT_BACK,
  PUT_LOG_BACK,
  REPLACE,
} from '../../../pipeline/store/record-file.ts'
import { assertRecordBefore, refuseOlderIndex } from '../../../pipeline/writer/healing/facts.ts'
import { describeLaterWrites } from '../../../scripts/commands/later-writes.ts'
import { createDataDir } from '../../support/registry/registry.ts'

const TENURE = { 'tenure.json': '{}' }
const FLEET =
  /to lose no write, move record\/ and tenure\.json out of DATA_DIR .* Only if Redis has lost its data, run `registry restore DIR --force` .*$/

function makeFolder(files: Record<string, string>) {
  const dir = createDataDir()
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(`${dir}/${name}`), { recursive: true })
    writeFileSync(`${dir}/${name}`, content)
  }
  return resolvePaths(dir)
}

describe.each<[what: string, files: Record<string, string>, byHand: string]>([
  ['that cannot be read', { 'record/record.sqlite': 'damaged' }, REPLACE],
  ['that is missing', { 'checkpoint.json': '{}' }, PUT_BACK],
  ['that is empty', { 'record/record.sqlite': '', 'checkpoint.json': '{}' }, PUT_BACK],
])('a record %s', (_, files, byHand) => {
  test('is put back or restored', async () => {
    const refused = assertRecordBefore(makeFolder(files))
    await expect(refused).rejects.toThrow(
      `: ${byHand}, or run \`registry restore DIR --force\` with a backup`,
    )
  })

  test('loses no write where the folder ran with BACKUP_TO, which is said first', async () => {
    const refused = assertRecordBefore(makeFolder({ ...files, ...TENURE }))
    await expect(refused).rejects.toThrow(FLEET)
  })
})

test.each([
  ['alone', {}, /: put the log back, or run `registry restore/],
  ['with BACKUP_TO', TENURE, FLEET],
])(
  'a record that ran %s and has lost its log says first how to lose no write',
  (_, files, says) => {
    expect(() => refuseOlderIndex(makeFolder(files), 'commit 2 was served')).toThrow(says)
    expect(describeRecovery(makeFolder(files), PUT_LOG_BACK)).toMatch(/restore/)
  },
)

describe('a restore over a registry that ran with BACKUP_TO', () => {
  test('is refused without --force, with how to lose no write', async () => {
    const backup = makeFolder({ 'manifest.json': '{}' }).dir
    const { dir } = makeFolder({ 'record/record.sqlite': 'damaged', ...TENURE })
    await expect(restore(dir, backup, {})).rejects.toThrow(
      /is not empty: if the record is damaged, lose no write: move record\/ and tenure\.json /,
    )
  })

  test('says which commits the next start discards, and how to keep them', async () => {
    const backups = makeFolder({
      'backups/000001-000000000071-1/manifest.json': '{}',
      'backups/000001-000000000093-2/manifest.json': '{}',
    }).dir
    const DATA_DIR = makeFolder(TENURE).dir
    const manifest = { seq: 71 } as never
    const config = readConfig({ DATA_DIR, BACKUP_TO: backups })
    expect(await describeLaterWrites(config, manifest)).toMatch(
      /discards commits 72 to 93, .* before that start: move record\/ and tenure\.json /,
    )
    expect(await describeLaterWrites(readConfig({ DATA_DIR }), manifest)).toMatch(
      /discards any writes after this backup that Redis still has/,
    )
    const alone = readConfig({ DATA_DIR: makeFolder({}).dir })
    expect(await describeLaterWrites(alone, manifest)).toBe('')
  })
})
