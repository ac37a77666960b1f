import { openDesk } from '../../jobs/enqueue.ts'
import { createLog } from '../../pipeline/core/log.ts'
import { type AuditRow, type AuditWanted, auditRows } from '../../pipeline/index/accounts/audit.ts'
import { readSettings } from './environment.ts'
import { doneOrExit, openAlone, runningRegistry } from './running.ts'

/** Prints what was asked for, a line each. */
export async function listAudit({
  json,
  ...wanted
}: AuditWanted & { json?: boolean }): Promise<void> {
  const rows = await rowsOf(wanted)
  if (json) process.stdout.write(`${JSON.stringify(rows)}\n`)
  else for (const row of rows) process.stdout.write(`${lineOf(row)}\n`)
}

/** Prints all that is known of one. */
export async function showAudit(id: string): Promise<void> {
  const [row] = await rowsOf({ id, limit: 1 })
  if (row === undefined) return void doneOrExit({ refused: `nothing was submitted as ${id}` })
  process.stdout.write(`${JSON.stringify(row, null, 2)}\n`)
}

function lineOf({ submission_id, submitted_at, operation, answer, ...row }: AuditRow): string {
  const by = row.by_kind === null ? 'unknown' : `${row.by_kind} ${row.by_id}`
  const came = 'done' in answer ? 'done' : `refused: ${answer.refused}`
  return `${submitted_at}  ${submission_id}  ${operation.padEnd(24)} ${by}  ${came}`
}

async function rowsOf(wanted: AuditWanted): Promise<AuditRow[]> {
  const config = readSettings()
  const run = await runningRegistry(config)
  if (run) {
    const desk = openDesk(run.redis_url, createLog('audit', 'error'))
    try {
      return await desk.ask<AuditRow[]>({ ask: 'audit', wanted })
    } finally {
      await desk.close()
    }
  }
  const sequencer = await openAlone(config)
  try {
    return await auditRows(sequencer.accounts.db, wanted)
  } finally {
    await sequencer.close()
  }
}
