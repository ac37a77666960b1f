import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type CheckedGrants,
  LoggedGrants,
} from '../../../pipeline/maintenance/verify/check-logged-grants.ts'
import { readCheckpoint } from '../../../pipeline/store/checkpoint.ts'
import type { Paths } from '../../../pipeline/store/paths.ts'
import { verifyLog } from '../../../pipeline/transparency/verify-log.ts'
import type { Sequencer } from '../../../pipeline/writer/sequencer.ts'

/** Brings the log and the snapshot up to the last commit. */
export async function publishLogged(registry: Sequencer): Promise<void> {
  await registry.treeLog.update()
  await registry.publish()
}

export function getSnapshotFile(paths: Paths): string {
  return join(paths.snapshots, readCheckpoint(paths)!.snapshot)
}

/** Compares a snapshot, by default the current one, with the log of these stores. */
export async function checkLoggedGrants(
  paths: Paths,
  snapshotFile = getSnapshotFile(paths),
): Promise<CheckedGrants> {
  const grants = await LoggedGrants.open(snapshotFile)
  const read = async (name: string) => {
    const file = join(paths.log, name)
    return existsSync(file) ? readFileSync(file) : undefined
  }
  const key = String(await read('key'))
  const { faults } = await verifyLog({ read, key }, grants.add)
  const checked = await grants.check()
  grants.close()
  return { ...checked, faults: [...faults, ...checked.faults] }
}
