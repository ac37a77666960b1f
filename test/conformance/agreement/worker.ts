import { type Found, findOurs, findTheirs, type Pairing, runAgainst } from './both.ts'
import { faults } from './faults.ts'

/** A storyboard to be run by both runners against an agent with this fault, or with none. */
export interface Task {
  pairing: Pairing
  fault?: string
}

export interface Compared extends Task {
  ours: Found
  theirs: Found
  /** Faults that would have changed an answer of an agent without one. */
  shows: string[]
}

/** Runs one storyboard after the other: the public runner closes all connections of its process when it ends. */
process.on('message', async (task: Task) => {
  const found = await compare(task)
  // On a busy machine a connection may break: what the runners differ in, they differ in again.
  const isSame = found.ours.first === found.theirs.first
  process.send?.(isSame ? found : { ...(await compare(task)), shows: found.shows })
})

async function compare(task: Task): Promise<Compared> {
  const { pairing, fault: name } = task
  const fault = faults.find(other => other.name === name)
  const watched = fault === undefined ? faults : []
  const { wouldFire, ...ours } = await runAgainst(pairing, findOurs, { fault, watched })
  const { wouldFire: _, ...theirs } = await runAgainst(pairing, findTheirs, { fault })
  const shows = [...wouldFire].map(({ name }) => name)
  return { ...task, ours, theirs, shows }
}
