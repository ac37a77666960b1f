import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Clock, systemClock } from '../../pipeline/core/clock.ts'
import { readConfig } from '../../pipeline/core/config.ts'
import { type Log, silentLog } from '../../pipeline/core/log.ts'
import { Sequencer, type SequencerOptions } from '../../pipeline/writer/sequencer.ts'
import { writeEmptyStores } from './empty-stores.ts'

/** Runs `cleanup` when the test that is under way has ended; the last one that was given comes first. */
export function cleanUp(cleanup: () => Promise<void> | void): void {
  onTestFinished(cleanup)
}

/** A folder of its own for the stores of a test file; `remove` is to be called when all has ended. */
export function makeDataDir(): { dir: string; remove(): void } {
  const dir = mkdtempSync(join(tmpdir(), 'registry-test-'))
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) }
}

/** A folder of its own for a test's stores. */
export function newDataDir(): string {
  const { dir, remove } = makeDataDir()
  cleanUp(remove)
  return dir
}

/** A folder of its own for a test, with an index and accounts that have no rows yet. */
async function newEmptyStores(): Promise<string> {
  const dataDir = newDataDir()
  await writeEmptyStores(dataDir)
  return dataDir
}

interface Opening {
  dataDir?: string
  clock?: Clock
  log?: Log
  /** Settings that are not the default. */
  settings?: Record<string, string>
  onStep?: NonNullable<SequencerOptions['onStep']>
}

export function buildOptions({ dataDir, clock, log, settings, onStep }: Opening): SequencerOptions {
  const config = readConfig({ ...settings, DATA_DIR: dataDir ?? newDataDir() })
  return {
    config,
    clock: clock ?? systemClock,
    log: log ?? silentLog,
    ...(onStep && { onStep }),
  }
}

/** The one writer of a data folder. Whoever opens it must `close()` it before opening it again. */
export async function openSequencer(opening: Opening = {}): Promise<Sequencer> {
  const dataDir = opening.dataDir ?? (await newEmptyStores())
  const sequencer = await Sequencer.open(buildOptions({ ...opening, dataDir }))
  if (sequencer === undefined) throw new Error('another process writes')
  return sequencer
}

/** A writer on a folder of its own that ends with the test. */
export async function newSequencer(clock: Clock): Promise<Sequencer> {
  const sequencer = await openSequencer({ clock })
  cleanUp(() => sequencer.close())
  return sequencer
}
