import type { MirrorList } from '../../../pipeline/model/responses/mirrors.ts'
import { listCommunityMirrors } from '../../routes/community/mirrors.ts'
import { Fragment, h } from '../html/jsx.ts'
import { renderMoment, renderName, renderOutside } from '../html/text.tsx'
import { askForList, buildPages, type ListQuery } from '../list-page.ts'
import { renderTable } from '../parts/blocks.tsx'
import { toMirrorPath } from '../parts/paths.ts'
import type { View, ViewCall } from '../view.ts'

/** Shows the files that are kept for platforms which publish none. */
export async function show(call: ViewCall<ListQuery>): Promise<View> {
  const list = await askForList<MirrorList>(listCommunityMirrors, call)
  const { mirrors, total, next_cursor } = list ?? { mirrors: [], total: 0 }
  return {
    title: 'Community mirrors',
    description: 'Files that members maintain for platforms that publish no file of their own.',
    json: '/api/registry/mirrors',
    body: (
      <>
        <h1>Community mirrors</h1>
        <p class="lead">
          Files that members maintain for platforms that publish no file of their own. A mirror
          describes a platform and authorizes no agent.
        </p>
        {renderTable({
          caption: 'Mirrors',
          columns: ['Platform', 'Changed', 'Status', 'File'],
          items: mirrors,
          total: total,
          pages: buildPages('/mirrors', call.query, next_cursor),
          rest: '/api/registry/mirrors',
          bytes: 24_000,
          empty: 'No platform has a mirror yet.',
          render: ({ platform, updated_at, superseded_by }) => [
            <a href={toMirrorPath(platform)}>{renderName(platform)}</a>,
            renderMoment(updated_at),
            superseded_by === null ? 'Current' : <>Superseded by {renderOutside(superseded_by)}</>,
            <a href={`/api/registry/mirrors/${encodeURIComponent(platform)}`}>JSON</a>,
          ],
        })}
      </>
    ),
  }
}
