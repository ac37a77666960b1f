import type { PublisherLookup } from '../../model/answers.ts'
import { urlOf } from '../../model/observation.ts'
import type { Reader } from '../reader.ts'
import { findStored, freshnessOf, type StoredAnswer, shelves } from './stored.ts'

/** `more` are further members of the answer, which its ETag does not cover. */
export function findPublisher(
  reader: Reader,
  domain: string,
  more?: object,
): StoredAnswer | undefined {
  const members = more && `,${JSON.stringify(more).slice(1, -1)}`
  return findStored(reader, shelves.publisher, domain, members)
}

export function findDomainLookup(reader: Reader, domain: string): StoredAnswer | undefined {
  return findStored(reader, shelves.lookup, domain)
}

/** Whether the file of a domain that never had a good one is valid; null where nobody can say. */
const validity = {
  never_crawled: null,
  failing: null,
  current: null,
  stale: null,
  absent: false,
  invalid: false,
} as const

/** The publisher lookup of a domain that nothing is stored of. */
export function unknownPublisher(reader: Reader, domain: string): PublisherLookup {
  const freshness = freshnessOf(reader, 'adagents.json', domain)
  return {
    domain,
    member: null,
    adagents_valid: validity[freshness.state],
    discovery_method: null,
    manager_domain: null,
    hosting: {
      mode: freshness.state === 'invalid' ? 'self_invalid' : 'none',
      expected_url: urlOf({ kind: 'adagents.json', location: domain }),
    },
    properties: [],
    authorized_agents: [],
    formats: [],
    freshness,
  }
}
