import type { AdagentsDocument } from '../../pipeline/model/documents/index.ts'
import type { TestRegistry } from './app.ts'
import { brandFile, publisherFile } from './documents.ts'
import { enrol } from './members.ts'

type Inline = Extract<AdagentsDocument, { variant: 'inline' }>

export const BRAND = 'acme.example'
export const PUBLISHER = 'herald.example'
export const AGENT = 'https://sales.agent.example/mcp'

/** Paths of every page, each of a thing that the world below has. */
export const pagePaths = [
  '/',
  '/search?q=acme',
  `/brand/${BRAND}`,
  `/publisher/${PUBLISHER}`,
  `/agent/${encodeURIComponent(AGENT)}`,
  `/authorization?${new URLSearchParams({ agent: AGENT, property: PUBLISHER })}`,
  `/authorization?${new URLSearchParams({ agent: AGENT, publisher: PUBLISHER })}`,
  '/authorization',
  '/changes',
  '/crawl',
  '/policies',
  '/policy/be_fair',
  '/mirrors',
] as const

/** Fills a registry with one thing for every page, all of whose texts may be chosen. */
export async function fillPages(registry: TestRegistry, text = 'Plain words'): Promise<void> {
  const key = await enrol(registry, { org: 'Acme', tier: 'company_standard', domains: [BRAND] })
  await registry.observe(
    brandFile(BRAND, text === 'Plain words' ? 'Acme' : text, {
      description: text,
      tagline: text,
      url: text,
      industries: [text],
      colors: { [text]: text, primary: '#23e2a5', secondary: { hex: `#fff${text}`, name: text } },
      logos: [{ url: text }, text],
      [text]: { [text]: [text] },
    }),
    buildPublisher(text),
  )
  await savePolicy(registry, key, text)
  await registry.publish()
}

function buildPublisher(text: string) {
  const seen = publisherFile(PUBLISHER, { sites: [PUBLISHER], agents: [AGENT] })
  const document = structuredClone(seen.document) as Inline
  const [property] = document.properties
  const [agent] = document.agents
  Object.assign(property!, { name: text, tags: ['all', text] })
  property!.identifiers.push({ type: 'roku_store_id', value: text })
  Object.assign(agent!, { authorized_for: text })
  const fault = { field: text, code: 'missing', message: text, severity: 'error' } as const
  return { ...seen, document, faults: [fault] }
}

async function savePolicy(registry: TestRegistry, key: string, text: string): Promise<void> {
  const answer = await registry.app.inject({
    method: 'POST',
    url: '/api/policies/save',
    headers: { authorization: `Bearer ${key}` },
    payload: {
      policy_id: 'be_fair',
      version: '1',
      name: text,
      description: text,
      category: 'standard',
      enforcement: 'should',
      jurisdictions: [text],
      policy: text,
      guidance: text,
      source_name: text,
    },
  })
  if (answer.statusCode !== 200) throw new Error(answer.body)
}
