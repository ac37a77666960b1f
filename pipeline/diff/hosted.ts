import type { PropertyEntry } from '../model/documents.ts'
import type { PropertyRow } from '../model/rows.ts'
import type { HostedProperty, SavedProperty } from '../model/save.ts'
import { identifierKey } from '../resolve/identifiers.ts'
import { identify } from './identity.ts'

/**
 * The properties of an entry after a save. One keeps its rid as in a file that is read again; one
 * without identifiers and id is recognised by its name and type. What is told twice counts once.
 */
export function hostedPropertiesOf(
  saved: readonly SavedProperty[],
  before: readonly HostedProperty[],
  mint: () => string,
): HostedProperty[] {
  const told = saved.map(
    ({ type, id, ...rest }): Omit<HostedProperty, 'property_rid'> => ({
      property_type: type,
      ...rest,
      ...(id !== undefined && { property_id: id }),
    }),
  )
  const rids = identify(before.map(knownOf), told.map(recognisable), mint)
  const hosted = new Map(told.map((one, i) => [rids[i]!, { property_rid: rids[i]!, ...one }]))
  return [...hosted.values()]
}

/**
 * Rows by which the first file of a publisher is recognised: its properties keep the rids that were
 * shown while only people told of them. One without identifiers is recognised by its name and type,
 * in what of the file nothing else is known by.
 */
export function hintsOf(
  hosted: readonly HostedProperty[],
  listed: readonly PropertyEntry[],
): PropertyRow[] {
  const keys = new Set(hosted.flatMap(one => one.identifiers.map(identifierKey)))
  const others = listed.filter(
    ({ identifiers }) => !identifiers.some(one => keys.has(identifierKey(one))),
  )
  const byName = new Map(others.map(entry => [nameOf(entry), entry]))
  return hosted.map(one => {
    const named = one.identifiers.length === 0 ? byName.get(nameOf(one)) : undefined
    return knownOf(named === undefined ? one : { ...named, property_rid: one.property_rid })
  })
}

function nameOf({ name, property_type }: Pick<PropertyEntry, 'name' | 'property_type'>): string {
  return `${property_type}\n${name}`
}

type Told = Omit<HostedProperty, 'property_rid'>

/** A name stands in for what is missing; no file has such an id. */
function recognisable<One extends Told>(one: One): One & PropertyEntry {
  const bare = one.property_id === undefined && one.identifiers.length === 0
  const named = bare ? { property_id: `\n${one.name}` } : {}
  return { supported_channels: [], ...one, ...named }
}

function knownOf(one: HostedProperty): PropertyRow {
  return {
    ...recognisable(one),
    property_id: recognisable(one).property_id ?? null,
    status: 'active',
  } as unknown as PropertyRow
}
