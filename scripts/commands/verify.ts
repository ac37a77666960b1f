import { openDesk } from '../../jobs/enqueue.ts'
import { createLog } from '../../pipeline/core/log.ts'
import { rebuild } from '../../pipeline/index/rebuild.ts'
import { verify } from '../../pipeline/index/verify.ts'
import { readSettings } from './environment.ts'
import { openAlone, runningRegistry } from './running.ts'

export async function verifyStores(): Promise<void> {
  const differences = await findDifferences()
  for (const difference of differences) process.stdout.write(`${difference}\n`)
  if (differences.length === 0) process.stdout.write('every store agrees\n')
  process.exitCode = differences.length === 0 ? 0 : 1
}

async function findDifferences(): Promise<string[]> {
  const config = readSettings()
  const run = await runningRegistry(config)
  if (run) {
    const desk = openDesk(run.redis_url, createLog('verify', 'error'))
    try {
      return await desk.ask<string[]>({ ask: 'verify' })
    } finally {
      await desk.close()
    }
  }
  const sequencer = await openAlone(config)
  try {
    return await verify(sequencer)
  } finally {
    await sequencer.close()
  }
}

export async function rebuildStores(): Promise<void> {
  const { DATA_DIR } = readSettings()
  if (await rebuild(DATA_DIR)) process.stdout.write('rebuilt\n')
  else {
    process.stderr.write(`another process is writing to ${DATA_DIR}: stop it first\n`)
    process.exitCode = 1
  }
}
