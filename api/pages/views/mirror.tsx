import type { z } from 'zod'
import { getFirst } from '../../../pipeline/core/present.ts'
import type { Mirror } from '../../../pipeline/model/responses/mirrors.ts'
import { readCommunityMirror } from '../../routes/community/mirrors.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { capitalize, clipText, renderMoment, renderName, renderOutside } from '../html/text.tsx'
import { renderFacts, renderJson, renderSection, renderTable } from '../parts/blocks.tsx'
import { renderBadge } from '../parts/freshness.tsx'
import { toPlainWords } from '../parts/plain-words.ts'
import { showMissing } from '../parts/problem.tsx'
import type { View, ViewCall } from '../view.ts'

type Held = z.infer<typeof Mirror>
type Item = Readonly<Record<string, unknown>>

/** Lists of the file, with a word for each. */
const lists = ['formats', 'properties', 'collections', 'placements', 'signals'] as const

/** Shows the file that is kept for a platform which publishes none. */
export async function show({
  ask,
  params: { platform },
}: ViewCall<unknown, { platform: string }>): Promise<View> {
  const { status, body: mirror } = await ask<Held>(readCommunityMirror, { params: { platform } })
  if (status !== 200) {
    const title = 'Mirror not found'
    const text = `There is no mirror for ${clipText(platform, 100)}.`
    return showMissing(title, text)
  }
  const json = `/api/registry/mirrors/${encodeURIComponent(platform)}`
  return {
    title: `Mirror of ${platform}`,
    description: `A file that members maintain for ${platform}, which publishes none. It authorizes no agent.`,
    json,
    body: (
      <>
        <p class="kicker">Community mirror</p>
        <h1>{renderName(platform)}</h1>
        <p class="sub">
          {mirror.superseded_by === null
            ? renderBadge('good', 'current')
            : renderBadge('fair', 'superseded')}{' '}
          It describes the platform and authorizes no agent.
        </p>
        {renderFacts([
          ['Superseded by', mirror.superseded_by && renderOutside(mirror.superseded_by)],
          ['Version', mirror.catalog_etag && renderName(mirror.catalog_etag, 60)],
          ['First published', renderMoment(mirror.created_at)],
          ['Changed', renderMoment(mirror.updated_at)],
        ])}
        {lists.map(name => renderList(name, listItems(mirror, name), json))}
        {renderSection('raw', 'Raw file', renderJson(mirror.adagents_json))}
      </>
    ),
  }
}

function listItems({ adagents_json }: Held, name: string): Item[] {
  const items = (adagents_json as Item)[name]
  return Array.isArray(items) ? items.filter(item => typeof item === 'object' && item !== null) : []
}

function renderList(name: string, items: readonly Item[], rest: string): Html | null {
  if (items.length === 0) return null
  const title = `${getFirst(name).toUpperCase()}${name.slice(1)}`
  return renderSection(
    name,
    title,
    renderTable({
      caption: title,
      columns: ['Name', 'ID', 'Type', 'Identifiers'],
      items,
      bytes: 6_000,
      rest,
      empty: 'None.',
      render: item => [
        renderName(item.name ?? findId(item)),
        <code>{clipText(findId(item), 100)}</code>,
        capitalize(toPlainWords(clipText(item.property_type ?? item.type ?? item.kind, 60))),
        renderIdentifiers(item.identifiers),
      ],
    }),
  )
}

/** Finds the id of an item, which is named after the list that it stands in. */
function findId(item: Item): unknown {
  const [, id] = Object.entries(item).find(([name]) => /^(?:[a-z]+_)?id$/.test(name)) ?? []
  return typeof id === 'string' ? id : undefined
}

function renderIdentifiers(given: unknown): Html[] {
  const identifiers = Array.isArray(given) ? given.slice(0, 3) : []
  return identifiers.map(identifier => (
    <span class="quiet">
      {toPlainWords(clipText(identifier?.type, 40))}: <code>
        {clipText(identifier?.value, 80)}
      </code>{' '}
    </span>
  ))
}
