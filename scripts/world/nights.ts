import { answerStatus } from './answer.ts'
import { buildEntry, buildSiteProperty, firstNight } from './documents.ts'
import { getItem } from './items.ts'
import { createRandom } from './random.ts'
import type { Doc, FileName, Place, Published } from './site.ts'

const publisherChanges = [
  'agent_removed',
  'agent_added',
  'property_added',
  'property_removed',
  'property_renamed',
  'countries_changed',
  'collection_removed',
  'absent',
  'failing',
] as const
const brandChanges = ['brand_renamed', 'brand_removed'] as const

type ChangeKind = (typeof publisherChanges)[number] | (typeof brandChanges)[number]

export type Change = { night: number; domain: string; file: FileName; what: ChangeKind }

/** Sites that may change: publishers with an ordinary file, and houses. */
export type Inhabitants = {
  publishers: readonly { host: string; hasCollections: boolean }[]
  houses: readonly string[]
}

/**
 * Plans the changes of all nights up to `night`. Changes persist, except that an absent file is
 * back after two nights, a failing one after one, and a new agent leaves after two.
 */
export function planNights(seed: number, night: number, inhabitants: Inhabitants): Change[] {
  const changes: Change[] = []
  for (let k = 2; k <= night; k++) {
    const random = createRandom(seed, 'night', k)
    const before = new Set(changes.map(change => change.domain))
    const drawn = random.some(inhabitants.publishers, inhabitants.publishers.length)
    const candidates = [...drawn.filter(place => !before.has(place.host)), ...drawn]
    for (const what of publisherChanges) {
      const at = candidates.findIndex(
        place => what !== 'collection_removed' || place.hasCollections,
      )
      if (at < 0) continue
      const domain = getItem(candidates, at).host
      changes.push({ night: k, domain, file: 'adagents.json', what })
      candidates.splice(at, 1)
    }
    const houses = random.some(inhabitants.houses, brandChanges.length)
    for (const [i, domain] of houses.entries()) {
      changes.push({ night: k, domain, file: 'brand.json', what: getItem(brandChanges, i) })
    }
  }
  return changes
}

/** Applies the changes so far to a place. */
export function placeOnNight(place: Place, changes: readonly Change[], night: number): Place {
  const files = { ...place.files }
  for (const change of changes) {
    const published = files[change.file]
    if (change.domain !== place.host || published === undefined) continue
    files[change.file] = changeOnNight(published, change, night)
  }
  return { ...place, files }
}

function changeOnNight(published: Published, change: Change, night: number): Published {
  const age = night - change.night
  if (change.what === 'absent') {
    return age < 2 ? { situation: 'absent', answer: () => answerStatus(404) } : published
  }
  if (change.what === 'failing') {
    return age < 1 ? { situation: 'status_500', answer: () => answerStatus(500) } : published
  }
  if (!('document' in published)) return published
  const document = (): Doc => {
    const changed = editDocument(published.document(), change, age)
    return { ...changed, last_updated: formatNight(change, age) }
  }
  return { situation: published.situation, document }
}

function formatNight(change: Change, age: number): string {
  const dayMs = 86_400_000
  const edits = change.what === 'agent_added' && age >= 2 ? 2 : 0
  return new Date(Date.parse(firstNight) + (change.night - 1 + edits) * dayMs).toISOString()
}

function editDocument(document: Doc, change: Change, age: number): Doc {
  const list = (field: string): Doc[] => (document[field] ?? []) as Doc[]
  const agents = list('authorized_agents')
  const properties = list('properties')
  switch (change.what) {
    case 'agent_removed':
      return { ...document, authorized_agents: agents.slice(0, -1) }
    case 'agent_added':
      return age < 2
        ? { ...document, authorized_agents: [...agents, buildNewcomer(change.night)] }
        : document
    case 'property_added':
      return { ...document, properties: [...properties, buildAddedProperty(change)] }
    case 'property_removed':
      return { ...document, properties: properties.slice(0, -1) }
    case 'property_renamed':
      return {
        ...document,
        properties: renameProperties(properties, `Renamed in night ${change.night}`),
      }
    case 'countries_changed':
      return {
        ...document,
        authorized_agents: agents.map(agent => ({ ...agent, countries: ['NL'] })),
      }
    case 'collection_removed':
      return { ...document, collections: undefined }
    case 'brand_renamed':
      return { ...document, brands: renameBrand(list('brands'), `Renamed ${change.night}`) }
    case 'brand_removed':
      return { ...document, brands: list('brands').slice(0, -1) }
    case 'absent':
    case 'failing':
      return document
  }
}

function buildNewcomer(night: number): Doc {
  const url = `https://sales.newcomer-${night}.example/mcp`
  return buildEntry(url, 'property_tags', { property_tags: ['news'], delegation_type: 'direct' })
}

function buildAddedProperty(change: Change): Doc {
  return buildSiteProperty(`new.${change.domain}`, 'New section', {
    property_id: `new_${change.night}`,
    tags: ['news'],
    publisher_domain: change.domain,
  })
}

function renameProperties([first, ...rest]: Doc[], name: string): Doc[] {
  return [{ ...first, name }, ...rest]
}

function renameBrand([master, first, ...rest]: Doc[], name: string): Doc[] {
  return [{ ...master }, { ...first, names: [{ en: name }] }, ...rest]
}
