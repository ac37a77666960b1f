import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Clock, systemClock } from '../../../pipeline/core/clock.ts'
import { readConfig } from '../../../pipeline/core/config.ts'
import { type Log, silentLog } from '../../../pipeline/core/log.ts'
import { Sequencer, type SequencerOptions } from '../../../pipeline/writer/sequencer.ts'
import { writeEmptyStores } from './empty-stores.ts'

/** Runs `cleanup` when the current test has ended; the last one given runs first. */
export function cleanUp(cleanup: () => Promise<void> | void): void {
  onTestFinished(cleanup)
}

/** Creates a folder for the stores of a test file; call `remove` at the end. */
export function makeDataDir(): { dir: string; remove(): void } {
  const dir = mkdtempSync(join(tmpdir(), 'registry-test-'))
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) }
}

/** Creates a folder for the stores of a test, and removes it afterwards. */
export function createDataDir(): string {
  const { dir, remove } = makeDataDir()
  cleanUp(remove)
  return dir
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
  const config = readConfig({ ...settings, DATA_DIR: dataDir ?? createDataDir() })
  return {
    config,
    clock: clock ?? systemClock,
    log: log ?? silentLog,
    ...(onStep && { onStep }),
  }
}

/** Opens the writer of a folder, which may be empty. It must be closed before the folder is opened again. */
export async function openSequencer(opening: Opening = {}): Promise<Sequencer> {
  const dataDir = opening.dataDir ?? createDataDir()
  const isEmpty = !existsSync(dataDir) || readdirSync(dataDir).length === 0
  if (isEmpty) await writeEmptyStores(dataDir)
  const sequencer = await Sequencer.open(buildOptions({ ...opening, dataDir }))
  if (sequencer === undefined) throw new Error('another process writes')
  return sequencer
}

/** Opens a writer on a new folder, and closes it after the test. */
export async function openTestSequencer(clock: Clock): Promise<Sequencer> {
  const sequencer = await openSequencer({ clock })
  cleanUp(() => sequencer.close())
  return sequencer
}
