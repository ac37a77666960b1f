import { rebuild } from '../../pipeline/maintenance/rebuild.ts'
import { verify } from '../../pipeline/maintenance/verify.ts'
import { readSettings } from './environment.ts'
import { askOrLook, assertRegistry } from './running.ts'

export async function verifyStores(): Promise<void> {
  const differences = await askOrLook(readSettings(), { ask: 'verify' }, verify)
  for (const difference of differences) process.stdout.write(`${difference}\n`)
  if (differences.length === 0) process.stdout.write('every store agrees\n')
  process.exitCode = differences.length === 0 ? 0 : 1
}

export async function rebuildStores(): Promise<void> {
  const config = readSettings()
  assertRegistry(config)
  const { DATA_DIR } = config
  const came = await rebuild(DATA_DIR)
  if (came === undefined)
    throw new Error(`another process is writing to ${DATA_DIR}: stop it first`)
  process.stdout.write('rebuilt\n')
  for (const { part, subject, reason } of came.unprojected) {
    process.stderr.write(`${part}: ${subject} has no answer, none can be made of it: ${reason}\n`)
  }
  if (came.unknown === 0) return
  process.stderr.write(
    `the accounts know of ${came.unknown} writes that the index has lost: run \`registry replay\`\n`,
  )
  process.exitCode = 1
}
