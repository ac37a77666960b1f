import { HEALTH_CHANGES_MAX, type HealthChange } from '../agent-health-record.ts'
import { toJsonValue } from '../document-value.ts'
import { hashAgent } from '../keys.ts'
import type { RowProjection } from './projection.ts'

interface Row extends HealthChange {
  location: string
}

/** Projects the changes of the health of agents, the latest first. */
export const agentHealthProjection: RowProjection = {
  store: 'index',
  tables: ['agent_health'],
  changed: 'seq > $seq',
  slicedBy: 'location',
  from: 'agent_health',
  async project({ index }, where, parameters) {
    const rows = await index.all<Row>(
      `select location, outcome, since from (
         select *, row_number() over (partition by location order by seq desc) as place from agent_health
         where location in (select location from agent_health where ${where}))
       where place <= ${HEALTH_CHANGES_MAX}
       order by location, seq desc`,
      parameters,
    )
    const agents = Map.groupBy(rows, ({ location }) => location)
    return [...agents].map(([location, changes]) => ({
      space: 'agent_health' as const,
      key: hashAgent(location),
      value: toJsonValue(changes.map(({ outcome, since }) => ({ outcome, since }))),
    }))
  },
}
