import {
  type AgentEntry,
  type AuthorizationType,
  authorizationTypes,
  type CollectionSelector,
  delegationTypes,
  type PropertyEntry,
} from '../model/documents/index.ts'
import { parseProperty } from './adagents-property.ts'
import { buildPropertyIds, proposeNaming } from './adagents-referable.ts'
import { parseSelector } from './adagents-selector.ts'
import { readAgentUrl, readDomain } from './addresses.ts'
import { readCountries } from './countries.ts'
import { quote } from './faults.ts'
import { type ObjectReader, optional } from './object-reader.ts'
import { checkPrivateKeys, readSigningKeys } from './signing-keys.ts'
import { joinAlternatives, SIGNAL_ID, SIGNAL_TAG, SLUG } from './suggestions.ts'

/** Member that must list what is authorized, by the entry’s `authorization_type`. */
const requiredLists = {
  property_ids: 'property_ids',
  property_tags: 'property_tags',
  inline_properties: 'properties',
  publisher_properties: 'publisher_properties',
  signal_ids: 'signal_ids',
  signal_tags: 'signal_tags',
} as const satisfies Record<AuthorizationType, keyof AgentEntry>

/**
 * Parses an entry of `authorized_agents` in the file `root`. Undefined if it names no
 * agent, or if its validity period cannot be read: an entry must not be in force longer than its publisher
 * said.
 */
export function parseEntry(part: ObjectReader, root: ObjectReader): AgentEntry | undefined {
  const url = readAgentUrl(part, 'url')
  const window = readWindow(part)
  // An entry that is left out is read all the same: its maintainer learns of all its faults at once.
  const type = readAuthorizationType(part)
  const purpose = readPurpose(part)
  const scope = readScope(part, root)
  const restrictions = readRestrictions(part)
  if (type !== undefined) checkRequiredList(part, root, scope, type)
  checkPrivateKeys(part, 'encryption_keys')
  if (url === undefined || window === undefined) return undefined
  return {
    entry: part.index,
    ...url,
    ...optional('authorized_for', purpose),
    ...optional('authorization_type', type),
    ...scope,
    ...restrictions,
    ...window,
  }
}

function readPurpose(part: ObjectReader): string | undefined {
  const value = part.value.authorized_for
  const advice = 'say in a few words what the agent can sell, such as "Display"'
  if (value === undefined) part.error('authorized_for', 'missing', `is missing: ${advice}`)
  else if (typeof value !== 'string') {
    const message = `must be a string, not ${quote(value)}: ${advice}`
    part.error('authorized_for', 'wrong_type', message)
    return undefined
  } else if (value.trim() === '') {
    part.error('authorized_for', 'empty', `is empty: ${advice}`)
    return undefined
  }
  return part.requiredLabel('authorized_for')
}

function readAuthorizationType(part: ObjectReader): AuthorizationType | undefined {
  if (!part.has('authorization_type')) {
    const [type, ...others] = authorizationTypes.filter(name => part.has(requiredLists[name]))
    const meant = type !== undefined && others.length === 0 ? [type] : authorizationTypes
    const values = joinAlternatives(meant)
    part.error(
      'authorization_type',
      'missing',
      `is missing, so the entry authorizes nothing: write ${values}`,
    )
  }
  return part.oneOf('authorization_type', authorizationTypes)
}

function readScope(part: ObjectReader, root: ObjectReader): Partial<AgentEntry> {
  return {
    ...optional('property_ids', part.names('property_ids', buildPropertyIds(root))),
    ...optional('property_tags', part.names('property_tags', SLUG)),
    ...optional('properties', readItems(part, 'properties', parseProperty)),
    ...optional('publisher_properties', readItems(part, 'publisher_properties', parseSelector)),
    ...optional('signal_ids', part.names('signal_ids', SIGNAL_ID)),
    ...optional('signal_tags', part.names('signal_tags', SIGNAL_TAG)),
  }
}

function readItems<T>(
  part: ObjectReader,
  key: 'properties' | 'publisher_properties',
  parse: (item: ObjectReader) => T | undefined,
): T[] | undefined {
  if (!part.has(key)) return undefined
  return part
    .parts(key)
    .map(parse)
    .filter(item => item !== undefined)
}

function readRestrictions(part: ObjectReader): Partial<AgentEntry> {
  return {
    ...optional('collections', readCollections(part)),
    ...optional('placement_ids', part.restriction('placement_ids')),
    ...optional('placement_tags', part.restriction('placement_tags')),
    ...optional('delegation_type', part.oneOf('delegation_type', delegationTypes)),
    ...optional('exclusive', part.flag('exclusive')),
    ...optional('countries', readCountries(part)),
    ...optional('signing_keys', readSigningKeys(part)),
  }
}

function readCollections(part: ObjectReader): CollectionSelector[] | undefined {
  const value = part.value.collections
  if (value === undefined) return undefined
  if (Array.isArray(value) && value.length === 0) {
    part.error(
      'collections',
      'empty',
      'is empty, so this entry currently has no effect: leave it out to set no limit',
    )
  }
  return part.parts('collections').flatMap(item => {
    const domain = readDomain(item, 'publisher_domain')
    const ids = item.texts('collection_ids') ?? []
    if (ids.length === 0 && !item.isReported('collection_ids'))
      item.error('collection_ids', 'empty', 'lists nothing: add at least one collection ID')
    return domain === undefined || ids.length === 0
      ? []
      : [{ publisher_domain: domain, collection_ids: ids }]
  })
}

/** Reads a validity period; undefined when one of its ends is present but cannot be read. */
function readWindow(
  part: ObjectReader,
): Pick<AgentEntry, 'effective_from' | 'effective_until'> | undefined {
  const from = part.limit('effective_from')
  const until = part.limit('effective_until')
  if (part.has('effective_from') && from === undefined) return undefined
  if (part.has('effective_until') && until === undefined) return undefined
  if (from !== undefined && until !== undefined && Date.parse(until) < Date.parse(from)) {
    part.error(
      'effective_until',
      'out_of_order',
      'is before effective_from, so the entry is never in effect',
    )
  }
  return { ...optional('effective_from', from), ...optional('effective_until', until) }
}

/** Items of the list of an entry, by its type. */
const listed: Readonly<Record<AuthorizationType, string>> = {
  property_ids: 'property ID from this file',
  property_tags: 'property tag from this file',
  inline_properties: 'property',
  publisher_properties: 'publisher with its properties',
  signal_ids: 'signal ID from this file',
  signal_tags: 'signal tag from this file',
}

/** Reports an entry that authorizes nothing because its list is missing or empty. */
function checkRequiredList(
  part: ObjectReader,
  root: ObjectReader,
  scope: Partial<AgentEntry>,
  type: AuthorizationType,
): void {
  const key = requiredLists[type]
  const list: readonly (string | PropertyEntry | object)[] | undefined = scope[key]
  if ((list !== undefined && list.length > 0) || part.isReported(key)) return
  const why = part.has(key) ? 'is empty' : 'is missing'
  part.error(key, part.has(key) ? 'empty' : 'missing', () => {
    const naming = proposeNaming(root, key)
    const fix = naming === '' ? `: add at least one ${listed[type]}` : `${naming}, and name it here`
    return `${why}, so this entry currently has no effect${fix}`
  })
}
