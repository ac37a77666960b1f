/**
 * The indexer role as a process that dies where it is told: `indexer.ts <data dir> <redis> <json>`.
 * Each line on stdin is a fault; the process kills itself when a commit next gets there.
 */
import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { runIndexer } from '../../../jobs/indexer/indexer.ts'
import { systemClock } from '../../../pipeline/core/clock.ts'
import { readConfig } from '../../../pipeline/core/config.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import type { Fault } from './script-process.ts'

const [dataDir, redisUrl, settings = '{}'] = process.argv.slice(2)
const config = readConfig({ ...JSON.parse(settings), DATA_DIR: dataDir! })
let fault: Fault | undefined

function say(word: string, value: unknown = null): void {
  writeSync(1, `${word} ${JSON.stringify(value)}\n`)
}

function fail(error: unknown): void {
  console.error(error)
  process.exit(1)
}

createInterface({ input: process.stdin }).on('line', line => {
  fault = JSON.parse(line)
  say('armed', fault)
})
say('loaded')
await runIndexer(config, redisUrl!, systemClock, silentLog, fail, {
  onStep(step, moment) {
    if (step === fault?.step && moment === fault.moment) process.kill(process.pid, 'SIGKILL')
  },
})
say('ready')
