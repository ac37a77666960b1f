import { randomUUID } from 'node:crypto'
import { findKeyHolder } from '../../../api/auth/principal.ts'
import type { AdagentsDocument } from '../../../pipeline/model/documents/index.ts'
import { Operation } from '../../../pipeline/model/submission.ts'
import { observeBrandFile, observePublisherFile } from '../fixtures/documents.ts'
import { buildMirrorFile, createModerator } from '../fixtures/mirrors.ts'
import type { ObservationDraft, TestRegistry } from '../registry/app.ts'
import { enrol, observeAgent } from '../registry/members.ts'

type Inline = Extract<AdagentsDocument, { variant: 'inline' }>

export const BRAND = 'acme.example'
/** A house that publishes nothing, which a brand names. */
const HOUSE = 'the-house.example'
/** A domain that publishes nothing and has saves of members. */
const SAVED = 'told.example'
export const PUBLISHER = 'herald.example'
export const AGENT = 'https://sales.agent.example/mcp'

/** Paths of every page, each about something that exists in the world below. */
export const pagePaths = [
  '/',
  '/search?q=acme',
  '/brands',
  '/publishers?sort=agents&state=valid',
  '/agents?type=sales&state=online',
  `/brand/${BRAND}`,
  `/publisher/${PUBLISHER}`,
  `/agent/${encodeURIComponent(AGENT)}`,
  `/authorization?${new URLSearchParams({ agent: AGENT, property: PUBLISHER })}`,
  `/authorization?${new URLSearchParams({ agent: AGENT, publisher: PUBLISHER })}`,
  '/authorization',
  '/changes',
  '/crawl',
  '/policies',
  '/storyboards',
  '/storyboard/capability_discovery',
  '/policy/be_fair',
  '/mirrors',
  '/mirror/pictures',
  '/docs',
  '/docs/operations/resolveBrand',
  '/docs/schemas/BrandResolution',
  '/docs/guides',
  '/docs/guides/settings',
  `/brand/${BRAND}/history`,
  `/publisher/${PUBLISHER}/history`,
  `/brand/${HOUSE}`,
  `/brand/${SAVED}`,
  `/publisher/${SAVED}`,
] as const

/** Fills a registry with one thing for every page, all of whose texts may be chosen. */
export async function fillPages(registry: TestRegistry, text = 'Plain words'): Promise<void> {
  const domains = [BRAND, SAVED]
  const key = await enrol(registry, { org: 'Acme', tier: 'company_standard', domains })
  await registry.observe(
    observeBrandFile(BRAND, text === 'Plain words' ? 'Acme' : text, {
      description: text,
      tagline: text,
      url: text,
      industries: [text],
      colors: { [text]: text, primary: '#23e2a5', secondary: { hex: `#fff${text}`, name: text } },
      logos: [{ url: text }, text],
      [text]: { [text]: [text] },
    }),
    buildPublisher(text),
    buildLeaf(),
    { kind: 'brand.json', location: HOUSE, outcome: 'absent', status: 404 },
  )
  // An agent is known once a file names it.
  await registry.observe(observeAgent(AGENT, buildAgentWords(text)))
  for (const outcome of ['timeout', 'unchanged'] as const) {
    registry.clock.tick({ minutes: 1 })
    await registry.observe({ kind: 'agent', location: AGENT, outcome, took_ms: 40 })
  }
  await savePolicy(registry, key, text)
  await publishMirror(registry, text)
  await saveTwice(registry, key, text)
  await registry.publish()
}

/** Builds what an agent says about itself when it is probed. */
function buildAgentWords(text: string) {
  return {
    server_name: text,
    tools: [{ name: text, description: text }],
    card: { name: text, description: text, url: text },
    claims: [text],
  }
}

/** Builds a brand whose house publishes nothing. */
function buildLeaf(): ObservationDraft {
  const document = observeBrandFile('leaf.example', 'Leaf').document as object
  return {
    kind: 'brand.json',
    location: 'leaf.example',
    document: { ...document, house_domain: HOUSE } as ObservationDraft['document'],
  }
}

/** Saves a brand twice, with different taglines. */
async function saveTwice(registry: TestRegistry, key: string, text: string): Promise<void> {
  const { id, org_id } = findKeyHolder(registry.reader, key)!
  for (const tagline of ['Before', text]) {
    const buildSave = () => ({
      revision_id: randomUUID(),
      domain: SAVED,
      editor: { kind: 'key', id, org_id },
    })
    const property = { type: 'website', name: tagline, identifiers: [] }
    const saves = [
      { op: 'brand.save', brand_name: 'Told', brand_manifest: { tagline }, ...buildSave() },
      { op: 'property.save', properties: [property], ...buildSave() },
    ]
    const answers = await registry.submit(...saves.map(save => Operation.parse(save)))
    for (const answer of answers) if ('refused' in answer) throw new Error(answer.refused)
  }
}

async function publishMirror(registry: TestRegistry, text: string): Promise<void> {
  const file = buildMirrorFile('show')
  const named = file.properties.map(property => ({ ...property, name: text }))
  const moderator = await createModerator(registry)
  const payload = { ...file, catalog_etag: text.slice(0, 200), properties: named }
  await send(registry, moderator, 'PUT', '/api/registry/mirrors/pictures', payload)
}

async function send(
  { app }: TestRegistry,
  key: string,
  method: 'POST' | 'PUT',
  url: string,
  payload: object,
): Promise<void> {
  const answer = await app.inject({
    method,
    url,
    headers: { authorization: `Bearer ${key}` },
    payload,
  })
  if (answer.statusCode >= 300) throw new Error(answer.body)
}

function buildPublisher(text: string) {
  const observation = observePublisherFile(PUBLISHER, { sites: [PUBLISHER], agents: [AGENT] })
  const document = structuredClone(observation.document) as Inline
  const [property] = document.properties
  const [agent] = document.agents
  Object.assign(property!, { name: text, tags: ['all', text] })
  property!.identifiers.push({ type: 'roku_store_id', value: text })
  Object.assign(agent!, { authorized_for: text })
  const fault = { field: text, code: 'missing', message: text, severity: 'error' } as const
  return { ...observation, document, faults: [fault] }
}

async function savePolicy(registry: TestRegistry, key: string, text: string): Promise<void> {
  await send(registry, key, 'POST', '/api/policies/save', {
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
  })
}
