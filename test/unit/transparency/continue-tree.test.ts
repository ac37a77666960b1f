import { cpSync, existsSync, readFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { LogPart } from '../../../pipeline/transparency/continue-tree.ts'
import { continueTree } from '../../../pipeline/transparency/continue-tree.ts'
import { type NewHead, TreeLog } from '../../../pipeline/transparency/tree-log.ts'
import { checkWholeLog } from '../../support/checks/independent-log.ts'
import { openLogWorld } from '../../support/registry/tree-logs.ts'

/** Opens a log that keeps its heads, and another folder that has none of it yet. */
function openTwo() {
  const [writer, other] = [openLogWorld(), openLogWorld()]
  onTestFinished(writer.close)
  onTestFinished(other.close)
  const heads: NewHead[] = []
  const { paths, signer } = writer
  const log = new TreeLog({ paths, signer, keepHead: async head => void heads.push(head) })
  return {
    writer,
    heads,
    paths: other.paths,
    async sign(count: number) {
      writer.commit(count)
      await log.update()
    },
    /** Copies the log as it is now, as a backup does. */
    backUp() {
      cpSync(paths.log, other.paths.log, { recursive: true })
      cpSync(paths.logHead, other.paths.logHead)
    },
    check: () => checkWholeLog(other.paths.log, writer.verifierKey),
  }
}

async function* list(parts: readonly LogPart[]): AsyncGenerator<LogPart> {
  yield* parts
}

describe('a tree that is continued from a backup', () => {
  test.each([0, 1, 255, 256, 300])(
    'becomes the one of the last head after %d events',
    async size => {
      const { sign, backUp, heads, paths, check, writer } = openTwo()
      if (size > 0) await sign(size)
      backUpIfAny()
      for (const more of [1, 200, 57, 600]) await sign(more)
      await continueTree(paths, list(heads), heads.at(-1)!.note)
      expect(readFileSync(paths.logHead, 'utf8')).toBe(heads.at(-1)!.note)
      cpSync(`${writer.paths.log}/key`, `${paths.log}/key`)
      cpSync(paths.logHead, `${paths.log}/checkpoint`)
      expect(check().head.size).toBe(size + 858)

      function backUpIfAny() {
        if (existsSync(writer.paths.logHead)) backUp()
      }
    },
  )

  test('skips events that the backup has, also where parts overlap', async () => {
    const { sign, backUp, heads, paths } = openTwo()
    await sign(10)
    await sign(20)
    backUp()
    await sign(30)
    const [first, second, third] = heads as [NewHead, NewHead, NewHead]
    const overlapping = {
      from: 0,
      lines: [...first.lines, ...second.lines, ...third.lines.slice(0, 5)],
    }
    await continueTree(paths, list([first, overlapping, second, third]), third.note)
    expect(readFileSync(paths.logHead, 'utf8')).toBe(third.note)
  })

  test('stays where the backup is newer than the head', async () => {
    const { sign, backUp, heads, paths } = openTwo()
    await sign(10)
    await sign(20)
    backUp()
    await continueTree(paths, list([]), heads[0]!.note)
    expect(readFileSync(paths.logHead, 'utf8')).toBe(heads[1]!.note)
  })

  test('is not signed where events are missing, or are others', async () => {
    const { sign, backUp, heads, paths } = openTwo()
    for (const count of [10, 20, 30]) {
      await sign(count)
      if (count === 10) backUp()
    }
    const [first, second, third] = heads as [NewHead, NewHead, NewHead]
    await expect(continueTree(paths, list([third]), third.note)).rejects.toThrow('10 to 30')
    await expect(continueTree(paths, list([second]), third.note)).rejects.toThrow('another tree')
    const forged = { ...third, lines: third.lines.toReversed() }
    const parts = list([second, forged])
    await expect(continueTree(paths, parts, third.note)).rejects.toThrow('another tree')
    expect(readFileSync(paths.logHead, 'utf8')).toBe(first.note)
    await continueTree(paths, list([second, third]), third.note)
    expect(readFileSync(paths.logHead, 'utf8')).toBe(third.note)
  })

  test('a head that cannot be kept is not shown', async () => {
    const world = openLogWorld()
    onTestFinished(world.close)
    let isAway = true
    const { paths, signer } = world
    const keepHead = async () => {
      if (isAway) throw new Error('the bucket is away')
    }
    const log = new TreeLog({ paths, signer, keepHead })
    world.commit(3)
    await expect(log.update()).rejects.toThrow('the bucket is away')
    expect(log.stop).toEqual({ why: 'the bucket is away', isWaiting: true })
    expect(existsSync(`${paths.log}/checkpoint`)).toBe(false)
    expect(existsSync(paths.logHead)).toBe(false)
    isAway = false
    world.commit(2)
    await log.update()
    expect(log.stop).toBeUndefined()
    expect(checkWholeLog(paths.log, world.verifierKey).head.size).toBe(5)
  })
})
