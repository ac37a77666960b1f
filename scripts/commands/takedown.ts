import type { Config } from '../../pipeline/core/config.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import { rebuild } from '../../pipeline/maintenance/rebuild.ts'
import { readSettings } from './environment.ts'
import { findRunningRegistry, openAlone, publishAlone } from './open-registry.ts'
import { connectRunning, performOrExit } from './running.ts'
import {
  askForPreview,
  confirmOrExit,
  describeDeleted,
  describeReadmitted,
  describeTakedown,
  refusePublicSuffix,
} from './takedown-confirmation.ts'

interface TakedownOptions {
  reason?: string
  undo?: boolean
  dryRun?: boolean
  confirm?: Domain
}

/** Takes a domain down once that is confirmed, or readmits it, and waits until every published copy shows that. */
export async function takeDown(
  domain: Domain,
  { reason, undo, dryRun, confirm }: TakedownOptions,
): Promise<void> {
  const config = readSettings()
  if (undo) {
    await performOrExit(config, { op: 'domain.readmit', domain })
    return void process.stdout.write(describeReadmitted(domain))
  }
  refusePublicSuffix(domain)
  const preview = await askForPreview(config, domain)
  process.stderr.write(describeTakedown(domain, preview))
  if (dryRun) return
  await confirmOrExit(domain, confirm)
  await performOrExit(config, {
    op: 'domain.takedown',
    domain,
    ...(reason !== undefined && { reason }),
  })
  process.stderr.write(describeDeleted(preview))
  await clearCopies(config)
  process.stdout.write(`Took down ${domain}.\n`)
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
      'Deleted data remains in free pages of serving/ until you stop the registry and run `registry rebuild`.\n',
    )
    return
  }
  const sequencer = await openAlone(config)
  await sequencer.publish()
  await sequencer.searchable()
  await sequencer.close()
  await rebuild(config.DATA_DIR)
  await publishAlone(config)
}
