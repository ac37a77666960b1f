import { z } from 'zod'
import { parsePastedDomain } from '../../pipeline/core/domain.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { limits } from '../../pipeline/core/limits.ts'
import type { DomainsByName } from '../../pipeline/read/lookups/stored.ts'
import { describeTooMany } from './fields.ts'

export const BulkDomains = z
  .object({
    domains: z
      .array(z.string().min(1, 'must not be empty'))
      .min(1, 'must name at least one domain')
      .meta({
        maxItems: limits.bulkResolveDomains,
        description: 'Domains to resolve; equivalent spellings are accepted',
      }),
  })
  .meta({ id: 'BulkDomains', description: 'Domains to resolve in one call' })

/** Describes the answer of a bulk operation whose single answers have the schema `resolution`. */
export function describeBulk(resolution: z.ZodType) {
  return z.looseObject({
    results: z
      .record(z.string(), resolution.nullable())
      .describe('Results by requested name, in lowercase; null for unknown names'),
  })
}

/** Parses domains, keyed by the trimmed, lowercase input; one invalid name refuses the whole request. */
export function parseDomainsStrictly(domains: readonly string[], max: number): DomainsByName {
  refuseMoreThan(max, domains)
  return new Map(
    domains.map((input, i) => {
      const key = input.trim().toLowerCase()
      return [key, parsePastedDomain(key) ?? refuseName(input, i)]
    }),
  )
}

/** Parses domains, keyed by the lowercase input; an invalid name counts as an unknown one. */
export function parseDomainsLeniently(domains: readonly string[], max: number): DomainsByName {
  refuseMoreThan(max, domains)
  return new Map(domains.map(input => [input.toLowerCase(), parsePastedDomain(input)]))
}

function refuseMoreThan(max: number, domains: readonly string[]): void {
  if (domains.length > max) refuse('invalid_request', describeTooMany('domains', max))
}

function refuseName(input: string, i: number): never {
  const shown = JSON.stringify(input.slice(0, 100))
  return refuse('invalid_request', `domains[${i}]: ${shown} is not a domain name`)
}
