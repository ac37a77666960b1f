import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { open } from 'lmdb'
import { expect, test } from 'vitest'
import { Reader } from '../../../pipeline/read/reader.ts'
import { ServingStore } from '../../../pipeline/serving/lmdb.ts'
import { resolvePaths } from '../../../pipeline/store/paths.ts'
import { cleanUp, createDataDir } from '../../support/registry/registry.ts'
import { testClock } from '../../support/worlds/clock.ts'

test.each(['meta', 'brand'])(
  'a reader that meets a serving store with only its %s space opens it once it is complete',
  async space => {
    const dir = createDataDir()
    const file = resolvePaths(dir).servingFile
    mkdirSync(dirname(file), { recursive: true })
    const begun = open({ path: file, maxDbs: 40 })
    await begun.openDB(space, { encoding: 'binary' }).put('x', Buffer.from('1'))
    await begun.close()
    const reader = new Reader(dir, testClock('2026-11-20T03:00Z'))
    cleanUp(() => reader.close())
    await reader.refresh()
    expect(reader.serving).toBeUndefined()
    const store = ServingStore.open(file)
    cleanUp(() => store.close())
    await reader.refresh()
    expect(reader.serving?.seq).toBe(0)
  },
)
