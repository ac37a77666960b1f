import { type Clock, SECOND } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { resolvePublishFolder } from '../../pipeline/core/publish-target.ts'
import { StatePublisher } from '../../pipeline/replica/state-publisher.ts'
import type { Sequencer } from '../../pipeline/writer/sequencer.ts'
import { type Loop, repeatEvery } from './loops.ts'

const PUBLISH_EVERY_MS = SECOND / 2

/** Publishes commits for replicas; undefined if publishing is not configured. */
export function startReplicaPublishing(
  sequencer: Sequencer,
  { PUBLISH_TO: target, DATA_DIR: dataDir, BASE_URL: baseUrl }: Config,
  clock: Clock,
  log: Log,
): Loop | undefined {
  const { journal, paths, serving } = sequencer
  const folder = resolvePublishFolder(target, dataDir)
  if (folder === undefined || journal === undefined) return undefined
  const restartChain = () => sequencer.restartChain()
  const publisher = new StatePublisher({
    folder,
    journal,
    paths,
    serving,
    clock,
    baseUrl,
    signer: sequencer.treeLog.signer,
    restartChain,
  })
  return repeatEvery(PUBLISH_EVERY_MS, log, async () => {
    if (sequencer.seq > 0) await publisher.publish()
  })
}
