import type { Config } from '../../pipeline/core/config.ts'
import { parseDomain } from '../../pipeline/core/domain.ts'
import { rebuild } from '../../pipeline/maintenance/rebuild.ts'
import { readSettings } from './environment.ts'
import { carryOut, connectWriter, findRunningRegistry, openAlone, unwrapOrExit } from './running.ts'

/** Takes a domain down, or lets it be known again, and waits until every published copy follows. */
export async function takeDown(
  name: string,
  { reason, undo }: { reason?: string; undo?: boolean },
): Promise<void> {
  const config = readSettings()
  const domain = parseDomain(name)
  if (domain === undefined) return void unwrapOrExit({ refused: `${name} is not a domain` })
  const [answer] = await carryOut(config, [
    undo
      ? { op: 'domain.readmit', domain }
      : { op: 'domain.takedown', domain, ...(reason !== undefined && { reason }) },
  ])
  unwrapOrExit(answer!)
  if (!undo) await clearCopies(config)
  process.stdout.write(`${domain} ${undo ? 'may be known again' : 'is taken down'}\n`)
}

/** Freed pages of the serving store keep what was in them until it is made anew, which needs a stop. */
async function clearCopies(config: Config): Promise<void> {
  const run = await findRunningRegistry(config)
  if (run) {
    const writer = connectWriter(run.redis_url, 'takedown')
    try {
      await writer.ask({ ask: 'publish' })
    } finally {
      await writer.close()
    }
    process.stderr.write(
      'run `registry rebuild` at the next stop: it leaves no trace in serving/\n',
    )
    return
  }
  const sequencer = await openAlone(config)
  await sequencer.publish()
  await sequencer.searchable()
  await sequencer.close()
  await rebuild(config.DATA_DIR)
  const again = await openAlone(config)
  await again.publish()
  await again.close()
}
