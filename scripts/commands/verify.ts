import { rebuild } from '../../pipeline/maintenance/rebuild.ts'
import { verify } from '../../pipeline/maintenance/verify-stores.ts'
import { readSettings } from './environment.ts'
import { assertRegistry } from './open-registry.ts'
import { askOrOpen } from './running.ts'

export async function verifyStores(): Promise<void> {
  const differences = await askOrOpen(readSettings(), { ask: 'verify' }, verify)
  for (const difference of differences) process.stdout.write(`${difference}\n`)
  if (differences.length === 0) process.stdout.write('all stores agree\n')
  process.exitCode = differences.length === 0 ? 0 : 1
}

export async function rebuildStores(): Promise<void> {
  const config = readSettings()
  assertRegistry(config)
  const { DATA_DIR } = config
  const rebuilt = await rebuild(DATA_DIR)
  if (rebuilt === undefined)
    throw new Error(`another process is writing to ${DATA_DIR}: stop it first`)
  process.stdout.write('rebuilt\n')
  for (const { part, subject, reason } of rebuilt.unprojected) {
    process.stderr.write(
      `${part}: ${subject} could not be projected and has no answer: ${reason}\n`,
    )
  }
  if (rebuilt.unknown === 0) return
  process.stderr.write(
    `the accounts know of ${rebuilt.unknown} writes that the index has lost: run \`registry replay\`\n`,
  )
  process.exitCode = 1
}
