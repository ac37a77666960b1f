import { declareCache } from '../cache/caches.ts'
import { SnapshotCache } from '../cache/snapshot-cache.ts'
import type { Snapshot } from '../reader.ts'

/** A domain for which an operator says something about a sale by an agent of it. */
export interface ExampleSale {
  domain: string
  agent_url: string
}

/** Candidates, of which the first that is granted is shown. */
const EXAMPLES_TRIED = 8

const examples = declareCache(() => new SnapshotCache<ExampleSale[]>(2))

/** Lists sales that the operators of agents confirm or contradict; a few, with short names. */
export function listExampleSales(
  snapshot: Snapshot,
  side: 'confirmed' | 'contradicted',
): Promise<ExampleSale[]> {
  return examples(snapshot).get(side, () =>
    snapshot.db.all<ExampleSale>(
      `select publisher_domain as domain, agent_url
       from operator_sides join agent_operators using (location)
       where operator_side = $side order by length(publisher_domain), publisher_domain, agent_url limit ${EXAMPLES_TRIED}`,
      { side },
    ),
  )
}
