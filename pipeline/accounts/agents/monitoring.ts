import { toIso } from '../../core/clock.ts'
import { type MonitoringSettings, usualSettings } from '../../model/compliance.ts'
import type { Answer, OperationOf, Refusal } from '../../model/submission.ts'
import { revokeBadges } from '../../resolve/badges.ts'
import type { Sqlite } from '../../store/sqlite.ts'
import { loadKeepers } from '../keepers.ts'
import type { OperationDefinitions } from '../operation-definition.ts'
import type { AccountStamp } from '../stamp.ts'
import { loadBadges, writeBadges } from './badges.ts'

/** Changes how an agent is tested. An opt-out ends its badges at once. */
export function changeMonitoring(
  db: Sqlite,
  operation: OperationOf<'monitoring.change'>,
  stamp: AccountStamp,
): Answer {
  const { agent_url, org_id, opt_out } = operation
  const refusal = refuseOther(db, agent_url, org_id)
  if (refusal) return refusal
  const known = findMonitoring(db, agent_url)
  const settings = applyChange(known, operation, toIso(stamp.now))
  db.run('delete from agent_monitoring where agent_url = $agent_url', { agent_url })
  db.insert('agent_monitoring', [{ agent_url, org_id, ...settings, seq: stamp.seq }])
  if (opt_out) {
    const badges = loadBadges(db, agent_url)
    writeBadges(db, agent_url, revokeBadges(badges, 'opted_out'), stamp)
  }
  return { done: { agent_url, ...settings } }
}

function applyChange(
  known: MonitoringSettings,
  operation: OperationOf<'monitoring.change'>,
  at: string,
): MonitoringSettings {
  const { lifecycle_stage, opt_out, paused, interval_hours, requeue } = operation
  const isNewOptOut = opt_out === true && !known.is_opted_out
  const pausedAt = paused ? (known.paused_at ?? at) : null
  return {
    lifecycle_stage: lifecycle_stage ?? known.lifecycle_stage,
    is_opted_out: opt_out ?? known.is_opted_out,
    needs_requalification: known.needs_requalification || isNewOptOut,
    generation: known.generation + Number(isNewOptOut),
    paused_at: paused === undefined ? known.paused_at : pausedAt,
    interval_hours: interval_hours ?? known.interval_hours,
    requeued_at: requeue ? at : known.requeued_at,
    created_at: known.created_at ?? at,
    updated_at: at,
  }
}

/** Finds how an agent is tested: as usual where nobody said anything. */
export function findMonitoring(db: Sqlite, agent_url: string): MonitoringSettings {
  const row = db.one<MonitoringSettings>(
    `select lifecycle_stage, is_opted_out, needs_requalification, generation,
       paused_at, interval_hours, requeued_at, created_at, updated_at
     from agent_monitoring where agent_url = $agent_url`,
    { agent_url },
  )
  return row ?? usualSettings
}

/** Refuses an organization that does not answer for the agent. */
export function refuseOther(db: Sqlite, agent_url: string, org_id: string): Refusal | undefined {
  const keeper = loadKeepers(db, [agent_url]).get(agent_url)
  if (keeper?.org_id === org_id) return undefined
  const refused =
    keeper === undefined
      ? 'your organization has not added this agent'
      : 'another organization answers for this agent'
  return { refused, error: 'forbidden' }
}

export const monitoringDefinitions: OperationDefinitions<'monitoring.change'> = {
  'monitoring.change': {
    perform: changeMonitoring,
    requires: { membershipIn: ({ org_id }) => org_id },
    changesVerdicts: true,
    irreversible: 'badges may have ended by it: change it again',
  },
}
