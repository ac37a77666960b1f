import { join } from 'node:path'
import type { Clock } from '../../../pipeline/core/clock.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import { Follower } from '../../../pipeline/replica/follower.ts'
import { type Origin, openFolderOrigin } from '../../../pipeline/replica/origin.ts'
import { StatePublisher } from '../../../pipeline/replica/state-publisher.ts'
import { listPublicEntries } from '../../../pipeline/serving/base.ts'
import { ServingStore, type SpaceName, spaces } from '../../../pipeline/serving/lmdb.ts'
import { derivedSpaces, isReplicated } from '../../../pipeline/serving/public-entries.ts'
import { resolvePaths } from '../../../pipeline/store/paths.ts'
import type { Sequencer } from '../../../pipeline/writer/sequencer.ts'
import { cleanUp, createDataDir, openSequencer } from './registry.ts'

/** A registry that publishes for replicas into a folder. */
export interface PublishingRegistry {
  sequencer: Sequencer
  publisher: StatePublisher
  folder: string
}

/** Opens a registry that publishes; it is closed with the test. */
export async function openPublishing(
  clock: Clock,
  dataDir?: string,
  published?: string,
  settings: Record<string, string> = {},
): Promise<PublishingRegistry> {
  const folder = published ?? join(createDataDir(), 'published')
  const sequencer = await openSequencer({
    clock,
    settings: { ...settings, PUBLISH_TO: folder },
    ...(dataDir !== undefined && { dataDir }),
  })
  let isOpen = true
  const close = sequencer.close.bind(sequencer)
  sequencer.close = async () => {
    if (isOpen) await close()
    isOpen = false
  }
  cleanUp(() => sequencer.close())
  return { sequencer, publisher: buildPublisher(sequencer, clock, folder), folder }
}

export function buildPublisher(
  sequencer: Sequencer,
  clock: Clock,
  folder: string,
  baseUrl?: string,
): StatePublisher {
  const { paths, serving } = sequencer
  const restartChain = () => sequencer.restartChain()
  return new StatePublisher({
    paths,
    serving,
    journal: sequencer.journal!,
    clock,
    folder,
    baseUrl,
    signer: sequencer.treeLog.signer,
    restartChain,
  })
}

/** Opens a replica in a new folder. `origin` reads the published folder by default. */
export function openReplica(
  folder: string,
  clock: Clock,
  {
    origin = openFolderOrigin(folder),
    dataDir = createDataDir(),
  }: { origin?: Origin; dataDir?: string } = {},
) {
  const paths = resolvePaths(dataDir)
  const follower = new Follower({ origin, paths, clock, log: silentLog })
  cleanUp(() => follower.close())
  return { follower, paths, dataDir }
}

/** Reads everything public in a serving store, as base64 by space and key, and the derived spaces. */
export async function readPublicEntries(servingFile: string): Promise<Map<string, string>> {
  const store = ServingStore.open(servingFile, { readOnly: true })
  try {
    const entries = [...listPublicEntries(store), ...listDerived(store)]
    return new Map(
      entries.map(({ space, key, value }) => [
        `${space} ${typeof key === 'string' ? key : (key as Buffer).toString('hex')}`,
        value!.toString('base64'),
      ]),
    )
  } finally {
    await store.close()
  }
}

/** Lists the keys at which a replica is not what its registry shows to all. */
export async function listDifferences(servingFile: string, replicaFile: string): Promise<string[]> {
  const [expected, found] = [
    await readPublicEntries(servingFile),
    await readPublicEntries(replicaFile),
  ]
  const keys = new Set([...expected.keys(), ...found.keys()])
  return [...keys].filter(key => expected.get(key) !== found.get(key))
}

function listDerived(store: ServingStore) {
  return derivedSpaces.flatMap((space: SpaceName) =>
    [...store.entries(space)].map(entry => ({ space, ...entry })),
  )
}

/** The spaces that never leave the host of a registry. */
export const privateSpaces = spaces.filter(space => !isReplicated(space))
