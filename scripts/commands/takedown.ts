import type { Config } from '../../pipeline/core/config.ts'
import { parseDomain } from '../../pipeline/core/domain.ts'
import { rebuild } from '../../pipeline/maintenance/rebuild.ts'
import { readSettings } from './environment.ts'
import { findRunningRegistry, openAlone } from './open-registry.ts'
import { connectRunning, performOrExit, unwrapOrExit } from './running.ts'
import { confirmOrExit, describeTakedown, refusePublicSuffix } from './takedown-confirmation.ts'

interface TakedownOptions {
  reason?: string
  undo?: boolean
  dryRun?: boolean
  confirm?: string
}

/** Takes a domain down once that is confirmed, or readmits it, and waits until every published copy shows that. */
export async function takeDown(
  name: string,
  { reason, undo, dryRun, confirm }: TakedownOptions,
): Promise<void> {
  const config = readSettings()
  const domain = parseDomain(name)
  if (domain === undefined) return void unwrapOrExit({ refused: `${name} is not a domain` })
  if (!undo) {
    refusePublicSuffix(domain)
    process.stderr.write(await describeTakedown(config, domain))
    if (dryRun) return
    await confirmOrExit(domain, confirm)
  }
  await performOrExit(
    config,
    undo
      ? { op: 'domain.readmit', domain }
      : { op: 'domain.takedown', domain, ...(reason !== undefined && { reason }) },
  )
  if (!undo) await clearCopies(config)
  process.stdout.write(`${domain} ${undo ? 'is readmitted' : 'is taken down'}\n`)
}

/**
 * Publishes new copies and rebuilds the serving store, whose freed pages still hold deleted data; a
 * rebuild needs the registry to be stopped.
 */
async function clearCopies(config: Config): Promise<void> {
  const run = await findRunningRegistry(config)
  if (run) {
    const writer = await connectRunning(run, 'takedown')
    try {
      await writer.ask({ ask: 'publish' })
    } finally {
      await writer.close()
    }
    process.stderr.write(
      'deleted data remains in free pages of serving/ until `registry rebuild` runs at the next stop\n',
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
