import type { Identifier } from '../model/documents/index.ts'
import { toIdentifierKey } from './identifiers.ts'

/** A saved property, as far as it says where it is. */
interface Located {
  identifiers: readonly Identifier[]
}

/** Gives a saved property without identifiers the domain of its publisher: it is known by nothing else. */
export function fillIdentifiers<Property extends { identifiers: Identifier[] }>(
  property: Property,
  domain: string,
): Property {
  if (property.identifiers.length > 0) return property
  return { ...property, identifiers: [{ type: 'domain', value: domain }] }
}

/** Tells whether a property of a publisher is known by nothing but the publisher's domain. */
export function isKnownByDomain({ identifiers }: Located, domain: string): boolean {
  const own = toIdentifierKey({ type: 'domain', value: domain })
  return identifiers.every(identifier => toIdentifierKey(identifier) === own)
}
