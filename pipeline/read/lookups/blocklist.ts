import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { projectRoot } from '../../core/project-root.ts'
import { domainTypes } from '../../model/property-check.ts'
import { declareCache } from '../cache/caches.ts'
import type { Reader } from '../reader.ts'

/** File `data/blocklist.json`: each type with the end of the sentence that gives its reason. */
const Blocklist = z.object({
  types: z.record(z.enum(domainTypes), z.string()),
  domains: z.array(z.object({ domain: z.string(), type: z.enum(domainTypes) })),
})

export interface Blocked {
  domain_type: (typeof domainTypes)[number]
  blocked_reason: string
}

const blocklists = declareCache(readBlocklist)

/**
 * Finds the blocklist entry of a host, by its own name or one above it: hosts that serve advertising and
 * are no inventory.
 */
export function findBlocked(reader: Reader, host: string): Blocked | undefined {
  const blocked = blocklists(reader)
  for (let name = host; name.includes('.'); name = name.slice(name.indexOf('.') + 1)) {
    const found = blocked.get(name)
    if (found !== undefined) return found
  }
  return undefined
}

function readBlocklist(): Map<string, Blocked> {
  const { types, domains } = Blocklist.parse(
    JSON.parse(readFileSync(join(projectRoot, 'data/blocklist.json'), 'utf8')),
  )
  return new Map(
    domains.map(({ domain, type }) => [
      domain,
      { domain_type: type, blocked_reason: `${domain} ${types[type]}` },
    ]),
  )
}
