import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  buildConsistencyProof,
  buildInclusionProof,
  isContinued,
  isIncluded,
} from '../../../pipeline/transparency/merkle.ts'
import { RightEdge } from '../../../pipeline/transparency/right-edge.ts'
import { toVerifierKey } from '../../../pipeline/transparency/signed-note.ts'
import { createRangeReader, type ReadTile } from '../../../pipeline/transparency/tile-hashes.ts'
import { nameTile } from '../../../pipeline/transparency/tile-names.ts'
import { signHead, verifyHead } from '../../../pipeline/transparency/tree-head.ts'
import {
  checkWholeLog,
  followPath,
  hashEntry,
  hashTree,
  proveGrowth,
  provePath,
} from '../../support/checks/independent-log.ts'
import { createSigner, openLogWorld } from '../../support/registry/tree-logs.ts'

/** Builds a tree that grows by these steps, with the tiles that it leaves. */
async function buildTree(steps: readonly number[]) {
  const tiles = new Map<string, Buffer>()
  const readTile: ReadTile = async tile =>
    tiles.get(nameTile(tile)) ?? Promise.reject(new Error(`${nameTile(tile)} is missing`))
  const edge = await RightEdge.load(0, readTile)
  const leaves: Buffer[] = []
  for (const step of steps) {
    const some = Array.from({ length: step }, (_, i) =>
      hashEntry(Buffer.from(`${leaves.length + i}`)),
    )
    leaves.push(...some)
    for (const [name, bytes] of edge.append(some)) tiles.set(name, bytes)
  }
  return { edge, leaves, readTile }
}

const growth = fc.array(
  fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 200, max: 600 })),
  {
    minLength: 1,
    maxLength: 6,
  },
)

const flip = (bytes: Buffer, bit: number): Buffer => {
  const other = Buffer.from(bytes)
  other[Math.floor(bit / 8) % other.length]! ^= 1 << (bit % 8)
  return other
}

describe('whatever the commits', () => {
  test('the root, every proof of an entry and of growth are those of RFC 6962', async () => {
    await fc.assert(
      fc.asyncProperty(
        growth,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (steps, at, since) => {
          const { edge, leaves, readTile } = await buildTree(steps)
          const size = leaves.length
          const root = hashTree(leaves)
          expect(edge.root).toEqual(root)
          expect((await RightEdge.load(size, readTile)).root).toEqual(root)
          const read = createRangeReader(size, readTile)
          const index = Math.min(size - 1, Math.floor(at * size))
          const path = await buildInclusionProof(index, size, read)
          expect(path).toEqual(provePath(index, leaves))
          expect(followPath(leaves[index]!, index, size, path)).toEqual(root)
          expect(isIncluded({ index, hash: leaves[index]! }, { size, root }, path)).toBe(true)
          const from = Math.max(1, Math.floor(since * size))
          const older = hashTree(leaves.slice(0, from))
          const proof = await buildConsistencyProof(from, size, read)
          expect(proof).toEqual(proveGrowth(from, leaves))
          expect(isContinued({ size: from, root: older }, { size, root }, proof)).toBe(true)
        },
      ),
      { numRuns: 150 },
    )
  })

  test('one bit that differs in a leaf, a proof or a root is found', async () => {
    await fc.assert(
      fc.asyncProperty(growth, fc.nat(), fc.nat(), fc.nat(), async (steps, a, b, bit) => {
        const { leaves, readTile } = await buildTree(steps)
        const size = leaves.length
        const root = hashTree(leaves)
        const read = createRangeReader(size, readTile)
        const index = a % size
        const leaf = { index, hash: leaves[index]! }
        const path = await buildInclusionProof(index, size, read)
        const place = b % (path.length + 2)
        const tampered = [leaf.hash, root, ...path].map((hash, i) =>
          i === place ? flip(hash, bit) : hash,
        )
        const [hash, top, ...siblings] = tampered as [Buffer, Buffer, ...Buffer[]]
        expect(isIncluded({ index, hash }, { size, root: top }, siblings)).toBe(false)
        expect(isIncluded(leaf, { size, root }, [...path, root])).toBe(false)
        if (path.length > 0) expect(isIncluded(leaf, { size, root }, path.slice(1))).toBe(false)
        const from = 1 + (b % size)
        const older = { size: from, root: hashTree(leaves.slice(0, from)) }
        const proof = await buildConsistencyProof(from, size, read)
        const parts = [older.root, root, ...proof]
        const which = a % parts.length
        const [before, after, ...nodes] = parts.map((hash, i) =>
          i === which ? flip(hash, bit) : hash,
        ) as [Buffer, Buffer, ...Buffer[]]
        expect(isContinued({ size: from, root: before }, { size, root: after }, nodes)).toBe(false)
      }),
      { numRuns: 150 },
    )
  })

  test('one bit that differs in a signed head is found', () => {
    const signer = createSigner()
    const key = toVerifierKey(signer)
    const head = { size: 1234, root: hashEntry(Buffer.from('x')) }
    const note = Buffer.from(signHead(head, signer))
    expect(verifyHead(String(note), key)).toEqual({ origin: signer.origin, ...head })
    for (let bit = 0; bit < note.length * 8; bit++) {
      const tampered = flip(note, bit)
      const read = verifyHead(tampered.toString('utf8'), key)
      expect(read, `bit ${bit}`).toBeTypeOf('string')
    }
  })

  test('a signed head is written in one way: its last character has no spare bits', () => {
    for (let round = 0; round < 40; round++) {
      const signer = createSigner()
      const head = { size: 1, root: hashEntry(Buffer.from(String(round))) }
      const note = Buffer.from(signHead(head, signer))
      for (let bit = (note.length - 4) * 8; bit < note.length * 8; bit++) {
        const read = verifyHead(flip(note, bit).toString('utf8'), toVerifierKey(signer))
        expect(read, `bit ${bit}`).toBeTypeOf('string')
      }
    }
  })

  test('the files make one log for a reader that knows the specifications alone, and one bit is found', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 4 }),
        fc.nat(),
        fc.nat(),
        async (commits, which, bit) => {
          const world = openLogWorld()
          try {
            const log = world.open()
            for (const count of [1, ...commits]) {
              world.commit(count)
              await log.update()
            }
            const { head } = checkWholeLog(world.paths.log, world.verifierKey)
            expect(head.size).toBe(commits.reduce((sum, count) => sum + count, 1))
            const { tamperedName, restore } = world.tamper(head.size, which, bit)
            expect(() => checkWholeLog(world.paths.log, world.verifierKey), tamperedName).toThrow()
            restore()
            checkWholeLog(world.paths.log, world.verifierKey)
          } finally {
            world.close()
          }
        },
      ),
      { numRuns: 15 },
    )
  })
})
