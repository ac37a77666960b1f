import { workerData } from 'node:worker_threads'
import { type RecordCheck, recordChecks } from './record.ts'

// What is thrown ends the thread, and its owner gets it.
const { file, check } = workerData as { file: string; check: RecordCheck }
recordChecks[check](file)
