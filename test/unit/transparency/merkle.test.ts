import { describe, expect, test } from 'vitest'
import { buildTreeHash, EMPTY_ROOT, toLeafHash } from '../../../pipeline/transparency/merkle.ts'
import { RightEdge } from '../../../pipeline/transparency/right-edge.ts'
import { formatVerifierKey, parseVerifierKey } from '../../../pipeline/transparency/signed-note.ts'
import { nameTile } from '../../../pipeline/transparency/tile-names.ts'
import { verifyHead } from '../../../pipeline/transparency/tree-head.ts'
import { hashTree, openNote } from '../../support/checks/independent-log.ts'

/** Leaves and roots that implementations of RFC 6962 are compared with. */
const leaves = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
]
const roots = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]

test.each(roots.map((root, i) => [i + 1, root] as const))(
  'the tree of %i known leaves has the known root',
  async (size, root) => {
    const hashes = leaves.slice(0, size).map(leaf => toLeafHash(Buffer.from(leaf, 'hex')))
    expect(buildTreeHash(hashes).toString('hex')).toBe(root)
    expect(hashTree(hashes).toString('hex')).toBe(root)
    const edge = await RightEdge.load(0, () => Promise.reject(new Error('empty')))
    expect(edge.root).toEqual(EMPTY_ROOT)
    edge.append(hashes)
    expect(edge.root.toString('hex')).toBe(root)
  },
)

test.each([
  [{ level: 0, index: 0, width: 256 }, 'tile/0/000'],
  [{ level: 1, index: 999, width: 1 }, 'tile/1/999.p/1'],
  [{ level: 0, index: 1000, width: 256 }, 'tile/0/x001/000'],
  [{ level: 'entries', index: 1_234_067, width: 112 }, 'tile/entries/x001/x234/067.p/112'],
] as const)('%j is named %s', (tile, name) => {
  expect(nameTile(tile)).toBe(name)
})

describe('a signed note of another implementation', () => {
  // Published with the notes of Go’s checksum database.
  const key = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
  const note =
    'If you think cryptography is the answer to your problem,\n' +
    'then you don’t know what your problem is.\n'.replace('’', "'") +
    '\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n'

  test('has the key that is parsed and formatted here', () => {
    expect(formatVerifierKey(parseVerifierKey(key)!)).toBe(key)
    expect(parseVerifierKey(key.replace('c74f20a3', 'c74f20a4'))).toBeUndefined()
  })

  test('verifies with the reader of the tests, and is no tree head', () => {
    expect(openNote(note, key).origin).toMatch(/^If you think/)
    expect(verifyHead(note, parseVerifierKey(key)!)).toBe('it is no signed tree head')
  })
})
