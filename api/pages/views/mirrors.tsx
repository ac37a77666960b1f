import type { MirrorList } from '../../../pipeline/model/responses/mirrors.ts'
import { listCommunityMirrors } from '../../routes/community/mirrors.ts'
import { askIfReady } from '../ask.ts'
import { Fragment, h } from '../html/jsx.ts'
import { renderMoment, renderName, renderOutside } from '../html/text.tsx'
import { renderTable } from '../parts/blocks.tsx'
import type { View, ViewCall } from '../view.ts'

const ROWS = '50'

/** Shows the files that are kept for platforms which publish none. */
export async function show({
  ask,
  query: { cursor },
  services,
}: ViewCall<{ cursor?: string | undefined }>): Promise<View> {
  const query = { limit: ROWS, ...(cursor && { cursor }) }
  const found = await askIfReady(services.reader, () =>
    ask<MirrorList>(listCommunityMirrors, { query }),
  )
  const { mirrors, total, next_cursor } = found?.body ?? { mirrors: [], total: 0 }
  return {
    title: 'Community mirrors',
    description: 'Files that members keep for platforms which publish none of their own.',
    json: '/api/registry/mirrors',
    body: (
      <>
        <h1>Community mirrors</h1>
        <p class="lead">
          Files that members keep for platforms which publish none. A mirror describes and
          authorizes nobody.
        </p>
        {renderTable({
          caption: 'Mirrors',
          columns: ['Platform', 'Changed', 'Superseded by', 'File'],
          items: mirrors,
          total: next_cursor ? total : undefined,
          next: next_cursor
            ? `/mirrors?${new URLSearchParams({ cursor: next_cursor })}`
            : undefined,
          rest: '/api/registry/mirrors',
          bytes: 24_000,
          empty: 'No platform has a mirror yet.',
          render: ({ platform, updated_at, superseded_by }) => [
            renderName(platform),
            renderMoment(updated_at),
            superseded_by === null ? 'still counts' : renderOutside(superseded_by),
            <a href={`/api/registry/mirrors/${encodeURIComponent(platform)}`}>JSON</a>,
          ],
        })}
      </>
    ),
  }
}
