import { documentSpaces, findStoredFreshness } from '../../../pipeline/read/lookups/stored.ts'
import {
  type PublisherRow,
  publisherDirectory,
} from '../../../pipeline/read/queries/directories.ts'
import type { Reader } from '../../../pipeline/read/reader.ts'
import { type Chosen, publisherChoices } from '../directory-choices.ts'
import { loadDirectory } from '../directory-page.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { renderMoment, renderName } from '../html/text.tsx'
import { renderDirectory } from '../parts/directory.tsx'
import { findFaces } from '../parts/faces.tsx'
import { renderBadge, renderState } from '../parts/freshness.tsx'
import { toPublisherPath } from '../parts/paths.ts'
import type { View, ViewCall } from '../view.ts'

/** Shows all publishers. */
export async function show(call: ViewCall<Chosen>): Promise<View> {
  const { reader } = call.services
  const found = await loadDirectory<PublisherRow>(call, publisherDirectory)
  const faces = findFaces(reader, found.page?.rows.map(({ id }) => id) ?? [])
  return {
    title: 'Publishers',
    description:
      'Every publisher whose adagents.json the registry has read, with its properties and agents.',
    json: '/api/registry/publishers',
    body: (
      <>
        <h1>Publishers</h1>
        <p class="lead">What each publisher owns, and how many agents it authorizes.</p>
        {renderDirectory({
          path: '/publishers',
          nouns: ['publisher', 'publishers'],
          choices: publisherChoices,
          chosen: call.query,
          found,
          render: ({ id, state, manager_domain, agents, properties, changed_at }) => ({
            mark: faces.renderMark(id, 40),
            link: <a href={toPublisherPath(id)}>{faces.renderName(id)}</a>,
            below: (
              <>
                {faces.renderDomain(id, ' · ')}
                {manager_domain === null ? null : <>managed by {renderName(manager_domain)} · </>}
                changed {renderMoment(changed_at)}
              </>
            ),
            aside: renderAside(reader, id, state),
            // Zeros of a file that cannot be used would say more than is known.
            figures:
              state === 'invalid' && agents + properties === 0
                ? []
                : [
                    [agents, 'Agent', 'Agents'],
                    [properties, 'Property', 'Properties'],
                  ],
          }),
        })}
      </>
    ),
  }
}

function renderAside(reader: Reader, domain: string, state: PublisherRow['state']): Html | null {
  if (state === 'hosted') return renderBadge('fair', 'hosted here')
  return renderException(findStoredFreshness(reader, documentSpaces.publisher, domain).state)
}

/** Renders the state of a file that is not up to date: a badge that every row has says nothing. */
function renderException(state: string): Html | null {
  return state === 'current' ? null : renderState(state)
}
