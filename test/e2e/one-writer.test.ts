import { describe, expect, it } from 'vitest'
import { systemClock } from '../../pipeline/core/clock.ts'
import { Fatal } from '../../pipeline/core/errors.ts'
import { verify } from '../../pipeline/maintenance/verify-stores.ts'
import { Sequencer } from '../../pipeline/writer/sequencer.ts'
import { readFeeds } from '../support/checks/feed.ts'
import { readContents } from '../support/checks/table-contents.ts'
import { buildBaseBatch } from '../support/fixtures/batches.ts'
import { WriterProcess } from '../support/processes/script-process.ts'
import {
  buildOptions,
  cleanUp,
  createDataDir,
  openSequencer,
} from '../support/registry/registry.ts'

async function startWriter(dataDir: string): Promise<{ writer: WriterProcess; opened: boolean }> {
  const writer = new WriterProcess('obey', dataDir)
  return { writer, opened: await writer.waitForLine<boolean>('opened') }
}

async function tell(writer: WriterProcess, ...lines: string[]): Promise<void> {
  for (const line of lines) {
    writer.send(line)
    await writer.waitForLine('done')
  }
}

describe('while one process writes', () => {
  it('no other process may write, also after the first has copied its own file', async () => {
    const dataDir = createDataDir()
    const { writer } = await startWriter(dataDir)
    expect(await Sequencer.open(buildOptions({ dataDir }))).toBeUndefined()
    await tell(writer, 'commit', 'publish')
    expect(await Sequencer.open(buildOptions({ dataDir }))).toBeUndefined()
    expect((await startWriter(dataDir)).opened).toBe(false)
    await tell(writer, 'commit', 'publish')
  })

  it('a second writer in the same process is refused too', async () => {
    const registry = await openSequencer()
    cleanUp(() => registry.close())
    const dataDir = registry.paths.dir
    expect(await Sequencer.open(buildOptions({ dataDir }))).toBeUndefined()
    expect((await startWriter(dataDir)).opened).toBe(false)
  })

  it('a waiting one takes over at once when it is killed', async () => {
    const dataDir = createDataDir()
    const { writer } = await startWriter(dataDir)
    await tell(writer, 'commit', 'publish', 'commit')
    await writer.kill()
    const registry = await openSequencer({ dataDir })
    cleanUp(() => registry.close())
    expect(registry.seq).toBe(2)
    expect(await verify(registry)).toEqual([])
  })
})

describe('a writer after another one has raised the fence', () => {
  it('stops at its next commit, of which nothing is kept', async () => {
    const registry = await openSequencer()
    cleanUp(() => registry.close())
    await registry.commit(buildBaseBatch(systemClock.now()))
    const before = { rows: await readContents(registry.index), feeds: await readFeeds(registry) }
    await registry.index.run('update meta set fence = fence + 1')
    await expect(registry.commit(buildBaseBatch(systemClock.now()))).rejects.toThrow(Fatal)
    const after = { rows: await readContents(registry.index), feeds: await readFeeds(registry) }
    expect(after).toEqual(before)
    expect(registry.seq).toBe(1)
    expect(await verify(registry)).toEqual([])
  })

  it('can write again only after it was opened again', async () => {
    const registry = await openSequencer()
    await registry.index.run('update meta set fence = fence + 1')
    await expect(registry.commit(buildBaseBatch(systemClock.now()))).rejects.toThrow(Fatal)
    await expect(registry.commit(buildBaseBatch(systemClock.now()))).rejects.toThrow(Fatal)
    await registry.close()
    const again = await openSequencer({ dataDir: registry.paths.dir })
    cleanUp(() => again.close())
    expect((await again.commit(buildBaseBatch(systemClock.now()))).seq).toBe(1)
  })
})
