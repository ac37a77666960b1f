import { parentPort, workerData } from 'node:worker_threads'
import { Database } from '../../store/columnar/duckdb.ts'
import { buildAgentIndex } from './agent-index-builder.ts'
import { toMessage } from './agent-index-message.ts'

/** A thread that builds the index of the agents in a file, hands it over and ends. */
const db = await Database.open(workerData as string, { readOnly: true })
try {
  const { message, transferred } = toMessage(await buildAgentIndex(db))
  parentPort?.postMessage(message, transferred)
} finally {
  db.close()
}
