import { isIdentifierHost, toIdentifierHost } from '../core/domain.ts'
import type { AdagentsInline, Identifier, PropertyEntry } from '../model/documents/index.ts'
import { hostTypes, propertyTypes } from '../model/documents/vocabulary.ts'
import { ADAGENTS_SCHEMA } from '../model/hosted.ts'
import type { Contact, HostedProperty } from '../model/save.ts'
import { isOwn } from './property-owners.ts'

const SLUG = /^[a-z0-9_]{1,255}$/
const EMAIL = /^[^\s@]{1,64}@[^\s@]+\.[^\s@]+$/
const NAME_CHARS = 255
const knownTypes: ReadonlySet<string> = new Set(propertyTypes)

/** Community entry about the properties of a publisher. */
export interface SavedProperties {
  domain: string
  properties: readonly HostedProperty[]
  updated_at: string
}

/**
 * Builds an adagents.json from a community entry: the publisher's own properties in the words of the
 * format, and no agents.
 */
export function buildHostedAdagents({
  domain,
  properties,
  updated_at,
}: SavedProperties): AdagentsInline {
  const entries = omitRepeatedIds(properties.flatMap(saved => toPropertyEntry(domain, saved)))
  return {
    variant: 'inline',
    agents: [],
    properties: entries,
    collections: [],
    placements: [],
    formats: [],
    signals: [],
    revoked_publisher_domains: [],
    last_updated: updated_at,
    fields: {},
  }
}

/** Builds the file; undefined if it would say nothing. A contact without a name cannot be written to it. */
export function buildHostedAdagentsFile(
  { properties, last_updated }: AdagentsInline,
  contact: Contact | undefined,
): Record<string, unknown> | undefined {
  if (properties.length === 0) return undefined
  return {
    $schema: ADAGENTS_SCHEMA,
    ...(contact && toContact(contact)),
    authorized_agents: [],
    properties: properties.map(({ tags, supported_channels: _, ...property }) => ({
      ...property,
      ...(tags.length > 0 && { tags }),
    })),
    last_updated,
  }
}

function toContact({ name = '', email = '' }: Contact) {
  const trimmedName = name.trim()
  const address = email.trim()
  if (trimmedName === '' || trimmedName.length > NAME_CHARS) return {}
  const isAddress = address.length <= NAME_CHARS && EMAIL.test(address)
  return { contact: { name: trimmedName, ...(isAddress && { email: address }) } }
}

function toPropertyEntry(
  domain: string,
  { property_type, name, property_id, identifiers, tags }: HostedProperty,
): PropertyEntry[] {
  const entry: PropertyEntry = {
    property_type,
    name,
    identifiers: listDistinct(identifiers.flatMap(toPlainIdentifier)),
    ...(property_id !== undefined && SLUG.test(property_id) && { property_id }),
    tags: [...new Set(tags)].filter(tag => SLUG.test(tag)),
    supported_channels: [],
    publisher_domain: domain,
  }
  const isWhole = knownTypes.has(property_type) && entry.identifiers.length > 0
  return isWhole && isOwn(entry, domain) ? [entry] : []
}

/** Writes a host as the format wants it, however it was spelled; leaves out what is none. */
function toPlainIdentifier({ type, value }: Identifier): Identifier[] {
  if (!hostTypes.has(type)) return [{ type, value }]
  return isIdentifierHost(value) ? [{ type, value: toIdentifierHost(value) }] : []
}

function listDistinct(identifiers: readonly Identifier[]): Identifier[] {
  return [
    ...new Map(
      identifiers.map(identifier => [`${identifier.type} ${identifier.value}`, identifier]),
    ).values(),
  ]
}

/** Removes ids that an earlier property has already. */
function omitRepeatedIds(entries: readonly PropertyEntry[]): PropertyEntry[] {
  const ids = new Set<string>()
  return entries.map(entry => {
    const { property_id, ...rest } = entry
    if (property_id === undefined || ids.has(property_id)) return rest
    ids.add(property_id)
    return entry
  })
}
