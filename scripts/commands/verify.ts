import { rebuild } from '../../pipeline/index/rebuild.ts'
import { verify } from '../../pipeline/index/verify.ts'
import { readSettings } from './environment.ts'
import { askOrLook } from './running.ts'

export async function verifyStores(): Promise<void> {
  const differences = await askOrLook(readSettings(), { ask: 'verify' }, verify)
  for (const difference of differences) process.stdout.write(`${difference}\n`)
  if (differences.length === 0) process.stdout.write('every store agrees\n')
  process.exitCode = differences.length === 0 ? 0 : 1
}

export async function rebuildStores(): Promise<void> {
  const { DATA_DIR } = readSettings()
  if (await rebuild(DATA_DIR)) process.stdout.write('rebuilt\n')
  else {
    process.stderr.write(`another process is writing to ${DATA_DIR}: stop it first\n`)
    process.exitCode = 1
  }
}
