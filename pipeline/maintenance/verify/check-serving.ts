import { holdSame } from '../../serving/document-value.ts'
import { encodePairs, toIdentifierName } from '../../serving/identifier-index.ts'
import {
  documentSpaces,
  type Entry,
  type ServingStore,
  type SpaceName,
  spaces,
} from '../../serving/lmdb.ts'
import { buildScopeOfSlice, sliceCount } from '../../serving/projections/change-scope.ts'
import { projectReadableEvents } from '../../serving/projections/events.ts'
import { projectInSlices } from '../../serving/projections/project-slices.ts'
import { EVENTS_PART, loadUnprojected, type Unprojected } from '../../store/unprojected.ts'
import type { Stores } from './stores.ts'

/** Compares two documents, except for the time of their projection, which the index does not hold. */
function isSame(space: SpaceName, stored: Buffer, made: Buffer): boolean {
  return documentSpaces.has(space) ? holdSame(stored, made) : stored.equals(made)
}

export async function checkServing({ index, accounts, serving }: Stores): Promise<string[]> {
  const meta = await index.one<{ seq: number }>('select seq from meta')
  if (serving.seq !== meta?.seq) {
    return [`serving: shows commit ${serving.seq}, the index is at ${meta?.seq}`]
  }
  const unprojected = await loadUnprojected(index)
  const wrong = unprojected.map(describeUnprojected)
  const compared = await listComparedSpaces(index, unprojected.length > 0)
  const counted = new Map<SpaceName, number>(compared.map(name => [name, 0]))
  const compare = (entries: readonly Entry[]) => {
    for (const { space, key, value } of entries) {
      if (value === undefined || !counted.has(space)) continue
      counted.set(space, counted.get(space)! + 1)
      const stored = serving.get(space, key)
      if (stored === undefined) wrong.push(`serving: ${space} ${formatKey(key)} is missing`)
      else if (!isSame(space, stored, value)) {
        wrong.push(`serving: ${space} ${formatKey(key)} differs`)
      }
    }
  }
  const count = await sliceCount(index)
  for (let slice = 0; slice < count; slice++) {
    const scope = buildScopeOfSlice(slice, count, 0)
    const made = await projectInSlices({ index, accounts }, scope, compare)
    const events = await projectReadableEvents(index, scope)
    compare(events.entries)
    const known = new Set(unprojected.map(({ subject }) => subject))
    wrong.push(
      ...[...made.unprojected, ...events.unprojected]
        .filter(({ subject }) => !known.has(subject))
        .map(describeUnprojected),
    )
    await serving.releasePages()
  }
  const names = findWrongNames(serving)
  wrong.push(...names.wrong)
  counted.set('named', names.count)
  for (const [space, expected] of counted) {
    const there = serving.count(space)
    if (space !== 'meta' && there !== expected) {
      wrong.push(`serving: ${space} has ${there} entries, the index ${expected}`)
    }
  }
  return wrong
}

function describeUnprojected({ part, subject, reason }: Unprojected): string {
  const effect = part === EVENTS_PART ? 'the feed lacks it' : 'its old answer is served'
  return `serving: ${part} ${subject} is quarantined, ${effect}: ${reason}`
}

/** Spaces that show the old answer of a publisher until the last portion of the new one. */
const ofPublishers: readonly SpaceName[] = [
  'property',
  'publisher',
  'lookup',
  'inventory',
  'reach',
  'identifier',
] as const

async function listComparedSpaces(
  index: Stores['index'],
  areQuarantined: boolean,
): Promise<SpaceName[]> {
  if (areQuarantined) return []
  const underway = await index.one(
    `select 1 from wakes, meta where rule = 'publisher' and wakes_at <= committed_at limit 1`,
  )
  return spaces.filter(name => underway === undefined || !ofPublishers.includes(name))
}

function formatKey(key: string | Buffer): string {
  return typeof key === 'string' ? key : key.toString('hex')
}

/** Checks that the identifier index follows from the pairs in the store. */
function findWrongNames(serving: ServingStore): { wrong: string[]; count: number } {
  const wrong: string[] = []
  let count = 0
  let pairs: { key: string; value: Buffer }[] = []
  const check = () => {
    const made = encodePairs(pairs)
    if (made === undefined) return
    count++
    const name = toIdentifierName(pairs[0]!.key)
    if (serving.get('named', name)?.equals(made) !== true) {
      wrong.push(`serving: named ${name} differs`)
    }
  }
  for (const { key, value } of serving.entries('identifier')) {
    const pair = { key: key as string, value: Buffer.from(value) }
    if (pairs.length > 0 && toIdentifierName(pairs[0]!.key) !== toIdentifierName(pair.key)) {
      check()
      pairs = []
    }
    pairs.push(pair)
  }
  check()
  return { wrong, count }
}
