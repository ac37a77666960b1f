import { parentPort, workerData } from 'node:worker_threads'
import type { Instant } from '../../core/clock.ts'
import { readIndexStatus } from './index-status-beside.ts'

const { file, now } = workerData as { file: string; now: Instant }
parentPort?.postMessage(await readIndexStatus(file, now))
