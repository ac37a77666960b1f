import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { domainTypes } from '../../model/property-check.ts'

const Blocklist = z.object({
  types: z.record(z.enum(domainTypes), z.string()),
  domains: z.array(z.object({ domain: z.string(), type: z.enum(domainTypes) })),
})

export interface Blocked {
  domain_type: (typeof domainTypes)[number]
  blocked_reason: string
}

let listed: ReadonlyMap<string, Blocked> | undefined

/** Whether a host carries advertising and is no inventory, by its own name or one above it. */
export function blockedBy(host: string): Blocked | undefined {
  listed ??= readList()
  for (let name = host; name.includes('.'); name = name.slice(name.indexOf('.') + 1)) {
    const found = listed.get(name)
    if (found !== undefined) return found
  }
  return undefined
}

function readList(): Map<string, Blocked> {
  const here = dirname(fileURLToPath(import.meta.url))
  const root = here.replace(/(?:\/dist)?\/pipeline\/index\/points$/, '')
  const { types, domains } = Blocklist.parse(
    JSON.parse(readFileSync(join(root, 'data/blocklist.json'), 'utf8')),
  )
  return new Map(
    domains.map(({ domain, type }) => [
      domain,
      { domain_type: type, blocked_reason: `${domain} ${types[type]}` },
    ]),
  )
}
