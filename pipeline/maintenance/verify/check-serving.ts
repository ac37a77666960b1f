import { countThings, formatCount } from '../../core/counts.ts'
import { getFirst, getOrThrow } from '../../core/present.ts'
import { hasSameContent } from '../../serving/document-value.ts'
import { encodePairs, toIdentifierName } from '../../serving/identifier-index.ts'
import {
  documentSpaces,
  type Entry,
  type ServingStore,
  type SpaceName,
  spaces,
} from '../../serving/lmdb.ts'
import { listPortfolioEntries } from '../../serving/portfolio-record.ts'
import { buildScopeOfSlice, sliceCount } from '../../serving/projections/change-scope.ts'
import { projectReadableEvents } from '../../serving/projections/events.ts'
import { projectInSlices } from '../../serving/projections/project-slices.ts'
import { EVENTS_PART, loadUnprojected, type Unprojected } from '../../store/unprojected.ts'
import type { Stores } from './stores.ts'

/** Compares two values. In documents the time of projection is ignored, since the index does not store it. */
function isSame(space: SpaceName, stored: Buffer, built: Buffer): boolean {
  return documentSpaces.has(space) ? hasSameContent(stored, built) : stored.equals(built)
}

/**
 * Checks that the serving store is what the index and the accounts project: each entry is projected again and
 * compared, slice by slice, and the entries of each space are counted. Returns a message for each fault.
 */
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
      counted.set(space, getOrThrow(counted, space) + 1)
      const stored = serving.get(space, key)
      if (stored === undefined) wrong.push(`serving: ${space} ${formatKey(key)} is missing`)
      else if (!isSame(space, stored, value)) {
        wrong.push(`serving: ${space} ${formatKey(key)} differs`)
      }
    }
  }
  const count = await sliceCount(index)
  for (let slice = 0; slice < count; slice++) {
    const scope = await buildScopeOfSlice(index, slice, count, 0)
    const built = await projectInSlices({ index, accounts }, scope, compare)
    const events = await projectReadableEvents(index, scope)
    compare(events.entries)
    const known = new Set(unprojected.map(({ subject }) => subject))
    wrong.push(
      ...[...built.unprojected, ...events.unprojected]
        .filter(({ subject }) => !known.has(subject))
        .map(describeUnprojected),
    )
    await serving.releasePages()
  }
  const names = checkIdentifierIndex(serving)
  const portfolios = checkPortfolios(serving)
  wrong.push(...names.wrong, ...portfolios.wrong)
  counted.set('named', names.count)
  counted.set('portfolio', portfolios.count)
  for (const [space, expected] of counted) {
    const actual = serving.count(space)
    if (space !== 'meta' && actual !== expected) {
      wrong.push(
        `serving: ${space} has ${countThings(actual, 'entry', 'entries')}, and the index ${formatCount(expected)}`,
      )
    }
  }
  return wrong
}

function describeUnprojected({ part, subject, reason }: Unprojected): string {
  const effect = part === EVENTS_PART ? 'the feed lacks it' : 'its old answer is served'
  return `serving: ${part} ${subject} is quarantined, ${effect}: ${reason}`
}

/** Spaces that show a publisher's previous answer until the last portion of a large new one is applied. */
const publisherSpaces: readonly SpaceName[] = [
  'property',
  'publisher',
  'lookup',
  'inventory',
  'reach',
  'identifier',
] as const

/** Lists the spaces whose number of entries is known: none while answers are quarantined. */
async function listComparedSpaces(
  index: Stores['index'],
  areQuarantined: boolean,
): Promise<SpaceName[]> {
  if (areQuarantined) return []
  const underway = await index.one(
    `select 1 from wakes, meta where rule = 'publisher' and wakes_at <= committed_at limit 1`,
  )
  return spaces.filter(name => underway === undefined || !publisherSpaces.includes(name))
}

function formatKey(key: string | Buffer): string {
  return typeof key === 'string' ? key : key.toString('hex')
}

/** Checks that the values with all pairs of an identifier follow from the pairs in the store. */
function checkIdentifierIndex(serving: ServingStore): { wrong: string[]; count: number } {
  const wrong: string[] = []
  let count = 0
  let pairs: { key: string; value: Buffer }[] = []
  const check = () => {
    const built = encodePairs(pairs)
    if (built === undefined) return
    count++
    const name = toIdentifierName(getFirst(pairs).key)
    if (serving.get('named', name)?.equals(built) !== true) {
      wrong.push(`serving: named ${name} differs`)
    }
  }
  for (const { key, value } of serving.entries('identifier')) {
    const pair = { key: key as string, value: Buffer.from(value) }
    if (pairs.length > 0 && toIdentifierName(getFirst(pairs).key) !== toIdentifierName(pair.key)) {
      check()
      pairs = []
    }
    pairs.push(pair)
  }
  check()
  return { wrong, count }
}

/** Checks that the portfolios of houses follow from the brands in the store. Counts their entries. */
function checkPortfolios(serving: ServingStore): { wrong: string[]; count: number } {
  const wrong: string[] = []
  let count = 0
  for (const { key: domain, value } of serving.entries('brand')) {
    // The next read from the store invalidates the bytes of an iterated value, so they are copied.
    const entries = listPortfolioEntries(domain as string, Buffer.from(value))
    count += entries.length
    for (const { key, value } of entries) {
      if (serving.get('portfolio', key)?.equals(value) !== true)
        wrong.push(`serving: portfolio ${key} differs`)
    }
  }
  return { wrong, count }
}
