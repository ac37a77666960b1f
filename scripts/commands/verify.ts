import { rebuild } from '../../pipeline/maintenance/rebuild.ts'
import { describeRunning } from '../../pipeline/maintenance/restore.ts'
import { verifyStopped } from '../../pipeline/maintenance/verify-stopped.ts'
import { type Paths, resolvePaths } from '../../pipeline/store/paths.ts'
import { describeRecovery, REPLACE } from '../../pipeline/store/record-file.ts'
import { checkLogFiles, LOG_ADVICE } from '../../pipeline/transparency/check-log-files.ts'
import { readSettings } from './environment.ts'
import { assertRegistry, findOrTake, publishAlone } from './open-registry.ts'
import { askRunning } from './running.ts'

export async function verifyStores(): Promise<void> {
  const config = readSettings()
  assertRegistry(config)
  const { run, alone: stopped } = await findOrTake(config, () =>
    verifyStopped(config.DATA_DIR, note => process.stderr.write(`${note}\n`)),
  )
  const inStores = run ? await askRunning<string[]>(run, { ask: 'verify' }) : stopped
  const paths = resolvePaths(config.DATA_DIR)
  const inLog = await checkLogFiles(paths)
  if (inStores.length + inLog.length === 0) {
    process.stdout.write('All stores agree.\n')
    return
  }
  process.exitCode = 1
  for (const fault of [...inStores, ...inLog.map(fault => `log: ${fault}`)])
    process.stdout.write(`${fault}\n`)
  const advice = [
    ...(inStores.length > 0 ? [describeNextStep(paths, inStores)] : []),
    ...(inLog.length > 0 ? [LOG_ADVICE] : []),
  ]
  process.stderr.write(`Nothing was changed. ${advice.join('. ')}.\n`)
}

function describeNextStep(paths: Paths, faults: readonly string[]): string {
  const isRecordBad = faults.some(fault => /^record\/record\.sqlite: (?!was changed)/.test(fault))
  const next = isRecordBad
    ? `The record cannot be rebuilt: ${describeRecovery(paths, REPLACE)}.`
    : 'The next start rebuilds derived stores.'
  return `${next} See docs/operate/incidents.md, “A store is damaged or missing”`
}

export async function rebuildStores(): Promise<void> {
  const config = readSettings()
  assertRegistry(config)
  const { DATA_DIR } = config
  const rebuilt = await rebuild(DATA_DIR)
  if (rebuilt === undefined) throw new Error(describeRunning(resolvePaths(DATA_DIR)))
  await publishAlone(config)
  process.stdout.write('Rebuilt everything that is derived from the record.\n')
  for (const { part, subject, reason } of rebuilt.unprojected) {
    process.stderr.write(`${part}: ${subject} could not be built and has no answer: ${reason}\n`)
  }
}
