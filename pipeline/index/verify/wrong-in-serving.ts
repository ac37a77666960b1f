import { entriesOf } from '../projection.ts'
import { scopeOfSlice, sliceCount } from '../scope.ts'
import { documentSpaces, type ServingStore, type SpaceName, spaces } from '../serving.ts'
import { namedValue, nameOf } from '../serving-names.ts'
import { holdSame } from '../serving-value.ts'
import type { Stores } from './stores.ts'

/** When a document was put there is not in the index. */
function isSame(space: SpaceName, stored: Buffer, made: Buffer): boolean {
  return documentSpaces.has(space) ? holdSame(stored, made) : stored.equals(made)
}

export async function wrongInServing({ index, accounts, serving }: Stores): Promise<string[]> {
  const meta = await index.one<{ seq: number }>('select seq from meta')
  if (serving.seq !== meta?.seq) {
    return [`serving: shows commit ${serving.seq}, the index is at ${meta?.seq}`]
  }
  const wrong: string[] = []
  const counted = new Map<SpaceName, number>(spaces.map(name => [name, 0]))
  const count = await sliceCount(index)
  for (let slice = 0; slice < count; slice++) {
    const { entries } = await entriesOf(index, accounts, scopeOfSlice(slice, count, 0))
    for (const { space, key, value } of entries) {
      if (value === undefined) continue
      counted.set(space, counted.get(space)! + 1)
      const stored = serving.get(space, key)
      if (stored === undefined) wrong.push(`serving: ${space} ${keyText(key)} is missing`)
      else if (!isSame(space, stored, value)) {
        wrong.push(`serving: ${space} ${keyText(key)} differs`)
      }
    }
  }
  const names = wrongNames(serving)
  wrong.push(...names.wrong)
  counted.set('named', names.count)
  for (const [space, expected] of counted) {
    const there = serving.count(space)
    if (space !== 'meta' && there !== expected) {
      wrong.push(`serving: ${space} holds ${there} entries, the index makes ${expected}`)
    }
  }
  return wrong
}

function keyText(key: string | Buffer): string {
  return typeof key === 'string' ? key : key.toString('hex')
}

/** What identifiers name follows from the pairs that the store holds. */
function wrongNames(serving: ServingStore): { wrong: string[]; count: number } {
  const wrong: string[] = []
  let count = 0
  let pairs: { key: string; value: Buffer }[] = []
  const check = () => {
    const made = namedValue(pairs)
    if (made === undefined) return
    count++
    const name = nameOf(pairs[0]!.key)
    if (serving.get('named', name)?.equals(made) !== true) {
      wrong.push(`serving: named ${name} differs`)
    }
  }
  for (const { key, value } of serving.entries('identifier')) {
    const pair = { key: key as string, value: Buffer.from(value) }
    if (pairs.length > 0 && nameOf(pairs[0]!.key) !== nameOf(pair.key)) {
      check()
      pairs = []
    }
    pairs.push(pair)
  }
  check()
  return { wrong, count }
}
