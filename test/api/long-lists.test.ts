import { beforeAll, describe, expect, test } from 'vitest'
import {
  buildOperatorFile,
  publishFiles,
  requestWithQuery,
} from '../support/fixtures/operator-files.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { buildWebsite } from '../support/worlds/nights.ts'

const agent = 'https://sell.seller.example/mcp'
const GRANTS = 900
const PROPERTIES = 3_000
const VALIDATE = '/api/registry/validate'
const registry = openForAll(openRegistry)

const named = (domain: string, id: string, tags: string[] = []) =>
  buildWebsite(domain, {
    property_id: id,
    name: `${'A long name of '.repeat(8)}${id}`,
    tags,
    identifiers: [{ type: 'subdomain', value: `${id}.${domain}` }],
  })

const hosts = Array.from({ length: 30 }, (_, i) => ({
  type: 'domain',
  value: `h${i}.entries.example`,
}))

beforeAll(async () => {
  await publishFiles(registry, {
    // Hundreds of entries for one agent, each for a country of its own.
    'entries.example': {
      properties: [{ ...named('entries.example', 'p'), identifiers: hosts }],
      authorized_agents: Array.from({ length: GRANTS }, (_, i) => ({
        url: agent,
        authorized_for: `Part ${i}`,
        authorization_type: 'property_ids',
        property_ids: ['p'],
        placement_ids: [`place-${i}`],
      })),
    },
    'inventory.example': {
      properties: Array.from({ length: PROPERTIES }, (_, i) =>
        named('inventory.example', `p${i}`, i === 0 ? ['sold'] : []),
      ),
      authorized_agents: [
        {
          url: agent,
          authorized_for: 'One',
          authorization_type: 'property_tags',
          property_tags: ['sold'],
        },
      ],
    },
    'brand seller.example': buildOperatorFile(
      [agent],
      hosts.map(({ value }) => ({ identifier: value, relationship: 'delegated' })),
    ),
  })
})

type Page = Record<string, unknown>

const get = async (path: string, query: Record<string, unknown>): Promise<Page> => {
  const answer = await requestWithQuery(registry, path, query)
  expect(answer.statusCode, answer.body.slice(0, 300)).toBe(200)
  expect(Buffer.byteLength(answer.body)).toBeLessThan(256 * 1024)
  return answer.json()
}
const post = async (path: string, payload: object): Promise<Page> => {
  const answer = await registry.app.inject({ method: 'POST', url: path, payload })
  expect(answer.statusCode, answer.body.slice(0, 300)).toBe(200)
  expect(Buffer.byteLength(answer.body)).toBeLessThan(256 * 1024)
  return answer.json()
}

/** Reads all pages of an answer by the cursor of one of its lists; each page states the total. */
async function readOn(name: string, ask: (page: object) => Promise<Page>): Promise<Page[]> {
  const pages = [await ask({})]
  for (let next = pages[0]![`${name}_next_cursor`]; next !== null; ) {
    expect(typeof next).toBe('string')
    pages.push(await ask({ [`${name}_cursor`]: next }))
    next = pages.at(-1)![`${name}_next_cursor`]
  }
  expect(pages.length).toBeGreaterThan(1)
  return pages
}

const entriesIn = (pages: Page[]) =>
  pages
    .flatMap(page => page.evidence as { side: string; entry?: string }[])
    .filter(({ side }) => side === 'publisher')
    .map(({ entry }) => entry)
const allEntries = Array.from({ length: GRANTS }, (_, i) => `authorized_agents[${i}]`)

describe('the evidence of a sale', () => {
  const sale = { agent_url: agent, identifier_type: 'subdomain', explain: 'true' }

  test('names each entry of the file, and continues by cursor', async () => {
    const question = { ...sale, identifier_type: 'domain', identifier_value: hosts[0]!.value }
    const ask = (page: object) =>
      get(`${VALIDATE}/property-authorization`, { ...question, ...page })
    const pages = await readOn('evidence', ask)
    expect(pages[0]).toMatchObject({ evidence_total: GRANTS + 1, evidence_truncated: true })
    expect(entriesIn(pages).sort()).toEqual([...allEntries].sort())
    const last = (pages.at(-1)!.evidence as Page[]).at(-1)!
    expect(last).toMatchObject({ side: 'operator', declared_total: 30, declared_truncated: true })
    expect(last.declared).toHaveLength(20)
    const declared_cursor = last.declared_next_cursor
    const evidence_cursor = pages.at(-2)!.evidence_next_cursor
    const next = await ask({ evidence_cursor, declared_cursor })
    const rest = (next.evidence as Page[]).at(-1)!
    expect(rest).toMatchObject({ side: 'operator', declared_total: 30, declared_next_cursor: null })
    const shown = [...(last.declared as object[]), ...(rest.declared as object[])]
    expect(new Set(shown.map(entry => JSON.stringify(entry))).size).toBe(30)
  })

  test('continues for a publisher and for a product', async () => {
    const whole = { domain: 'entries.example', agent, explain: 'true' }
    const counted = await readOn('evidence', page =>
      get('/api/registry/publisher/authorization', { ...whole, ...page }),
    )
    expect(entriesIn(counted)).toHaveLength(GRANTS)
    const product = {
      agent_url: agent,
      publisher_properties: [{ publisher_domain: 'entries.example' }],
      explain: true,
    }
    for (const path of [
      `${VALIDATE}/product-authorization`,
      '/api/registry/expand/product-identifiers',
    ]) {
      const pages = await readOn('evidence', page => post(path, { ...product, ...page }))
      expect(new Set(entriesIn(pages)).size).toBe(GRANTS)
    }
  })

  test('has no cursor where it is complete', async () => {
    const answer = await get(`${VALIDATE}/property-authorization`, {
      ...sale,
      identifier_value: 'p0.inventory.example',
    })
    expect(answer.evidence).toHaveLength(2)
    expect(Object.keys(answer).filter(name => name.startsWith('evidence_'))).toEqual([])
  })
})

test('a publisher’s unauthorized properties can be read to the last by cursor', async () => {
  const question = { domain: 'inventory.example', agent }
  const pages = await readOn('unauthorized_properties', page =>
    get('/api/registry/publisher/authorization', { ...question, ...page }),
  )
  expect(pages[0]).toMatchObject({
    authorized: 1,
    total: PROPERTIES,
    unauthorized_properties_total: PROPERTIES - 1,
    unauthorized_properties_truncated: true,
  })
  const ids = pages.flatMap(page => page.unauthorized_properties as { id: string }[])
  expect(new Set(ids.map(({ id }) => id)).size).toBe(PROPERTIES - 1)
  expect(ids).toHaveLength(PROPERTIES - 1)
})

test('a product’s unauthorized items can be read through all selectors by cursor', async () => {
  const buildIds = (part: string) =>
    Array.from({ length: 1_500 }, (_, i) => `${part}-${'x'.repeat(60)}-${i}`)
  const product = {
    agent_url: agent,
    publisher_properties: ['a', 'b'].map(part => ({
      publisher_domain: 'inventory.example',
      property_ids: buildIds(part),
    })),
  }
  const pages = await readOn('unauthorized_items', page =>
    post(`${VALIDATE}/product-authorization`, { ...product, ...page }),
  )
  const buildItems = (selector: number) =>
    pages.flatMap(
      page => (page.selectors as { unauthorized_items: string[] }[])[selector]!.unauthorized_items,
    )
  expect([buildItems(0), buildItems(1)]).toEqual([buildIds('a'), buildIds('b')])
  expect(pages[0]).toMatchObject({
    selectors: [
      { unauthorized_items_total: 1_500, unauthorized_items_truncated: true },
      { unauthorized_items_total: 1_500, unauthorized_items_truncated: true },
    ],
  })
})
