import { startThread } from '../../core/thread.ts'
import { Database } from '../../store/columnar/duckdb.ts'
import type { AgentIndex } from './agent-index.ts'
import { buildAgentIndex, countAgents, updateAgentIndex } from './agent-index-builder.ts'
import { type AgentIndexMessage, readMessage } from './agent-index-message.ts'

/** Maximum number of agents that are loaded in this process, which is faster than starting a thread. */
const IN_PROCESS_MAX = 2_000

/**
 * Reads the agents of a snapshot's file, or takes those of the one before where nothing about them has
 * changed. This instance of DuckDB is closed then, and many agents are read by a thread that ends: what
 * either of them allocated for a large result stays with it as long as it lives.
 */
export async function readAgentIndex(
  file: string,
  before?: AgentIndex,
  inProcessMax = IN_PROCESS_MAX,
): Promise<AgentIndex> {
  const db = await Database.open(file, { readOnly: true })
  try {
    return await updateAgentIndex(db, before, async () =>
      (await countAgents(db)) <= inProcessMax ? buildAgentIndex(db) : buildOnThread(file),
    )
  } finally {
    db.close()
  }
}

function buildOnThread(file: string): Promise<AgentIndex> {
  const thread = startThread(import.meta.url, 'agent-index-thread', file)
  return new Promise((resolve, reject) => {
    thread.once('message', (message: AgentIndexMessage) => resolve(readMessage(message)))
    thread.once('error', reject)
    thread.once('exit', code => reject(new Error(`the agents could not be loaded: status ${code}`)))
  })
}
