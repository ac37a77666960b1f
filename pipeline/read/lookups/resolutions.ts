import type { BrandResolution, PublisherLookup } from '../../model/responses/index.ts'
import { toBrandCard } from '../../serving/brand-card.ts'
import type { Reader } from '../reader.ts'
import type { LentBytes } from './buffer-builder.ts'
import { addGrantFacts } from './grant-facts.ts'
import {
  type DomainsByName,
  documentSpaces,
  findStored,
  resolveMany,
  type StoredAnswer,
} from './stored.ts'

export function findBrand(reader: Reader, domain: string): StoredAnswer | undefined {
  return findStored(reader, documentSpaces.brand, domain)
}

/** Finds what the lookup of a publisher shows of the domain's brand, whoever says so. */
export function findBrandCard(reader: Reader, domain: string): PublisherLookup['brand'] {
  const found = findBrand(reader, domain)
  if (found === undefined) return undefined
  const { brand_name, brand_manifest }: BrandResolution = JSON.parse(found.body.toString())
  return toBrandCard({ brand_name, manifest: brand_manifest ?? null })
}

/** Resolves brands by key, null if unknown. */
export function resolveBrands(reader: Reader, asked: DomainsByName): LentBytes {
  return resolveMany(reader, documentSpaces.brand, asked)
}

export function findProperties(reader: Reader, domain: string): StoredAnswer | undefined {
  return findStored(reader, documentSpaces.property, domain, { revise: addGrantFacts })
}

/** Resolves properties by key, null if unknown. */
export function resolveProperties(reader: Reader, asked: DomainsByName): LentBytes {
  return resolveMany(reader, documentSpaces.property, asked, addGrantFacts)
}
