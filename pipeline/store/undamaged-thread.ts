import { workerData } from 'node:worker_threads'
import { assertUndamaged } from './record.ts'

// What is thrown ends the thread, and its owner gets it.
assertUndamaged(workerData as string)
