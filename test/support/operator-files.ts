import type { TestRegistry } from './app.ts'
import { observeFile } from './observations.ts'

/** Builds a brand.json of one brand that lists agents and what it sells. */
export function buildOperatorFile(
  agents: readonly string[],
  properties: readonly {
    identifier: string
    relationship?: string
    type?: string
    store?: string
  }[],
): object {
  return {
    id: 'operator',
    names: [{ en: 'Operator' }],
    agents: agents.map(url => ({ type: 'sales', url })),
    properties: properties.map(property => ({ type: 'website', ...property })),
  }
}

const SECOND = 1_000

/** Commits what these files say, a second apart; a domain's brand.json by the key `brand DOMAIN`. */
export async function publishFiles(
  registry: TestRegistry,
  files: Record<string, object>,
): Promise<void> {
  await registry.observe(
    ...Object.entries(files).map(([key, file]) => {
      const [domain, kind] = key.startsWith('brand ')
        ? [key.slice(6), 'brand.json' as const]
        : [key, 'adagents.json' as const]
      return observeFile(kind, domain!, file, registry.clock.now())
    }),
  )
  registry.clock.tick(SECOND)
}

/** Sends a GET request with this query, arrays joined by commas, and returns the answer. */
export async function requestWithQuery(
  registry: TestRegistry,
  path: string,
  query: Record<string, unknown>,
) {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined)
  const text = new URLSearchParams(
    Object.fromEntries(pairs.map(([name, value]) => [name, String(value)])),
  )
  return registry.app.inject(`${path}?${text}`)
}
