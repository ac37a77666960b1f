import { countThings, formatCount } from '../../../pipeline/core/counts.ts'
import type { StoryboardList } from '../../../pipeline/model/responses/storyboards.ts'
import { type Track, tracks } from '../../../pipeline/model/storyboards/storyboard.ts'
import { listStoryboards, listTargets } from '../../../pipeline/storyboards/catalog.ts'
import { listAllStoryboards } from '../../routes/agents/storyboards.ts'
import { type Child, Fragment, type Html, h } from '../html/jsx.ts'
import { capitalize, renderName } from '../html/text.tsx'
import { renderTable } from '../parts/blocks.tsx'
import { toStoryboardPath } from '../parts/paths.ts'
import { toPlainWords } from '../parts/plain-words.ts'
import type { View, ViewCall } from '../view.ts'

const TRACK_BYTES = 30_000

type Listed = StoryboardList['storyboards'][number]

/** Shows every storyboard of a target with which agents are tested, by default that of the installed package. */
export async function show({
  ask,
  query: { compliance_target },
}: ViewCall<{ compliance_target: string }>): Promise<View> {
  const targets = listTargets()
  const isKnown = targets.some(({ target }) => target === compliance_target)
  const query: Record<string, string> = isKnown ? { compliance_target } : {}
  const { body } = await ask<StoryboardList>(listAllStoryboards, { query })
  const { storyboards, adcp_version, requested_compliance_target: shown } = body
  const tracksById = new Map(listStoryboards().map(({ storyboard: { id, track } }) => [id, track]))
  const byTrack = Map.groupBy(storyboards, ({ id }) => tracksById.get(id))
  return {
    title: 'Storyboards',
    description: 'The scripted conversations that test agents, step by step.',
    json: `/api/storyboards?compliance_target=${shown}`,
    body: (
      <>
        <h1>Storyboards</h1>
        <p class="lead">
          {countThings(storyboards.length, 'scripted conversation')} test whether an agent follows
          the protocol (version {renderName(adcp_version, 20)}). Each agent is tested with the
          storyboards that match the capabilities it claims.
        </p>
        {renderTargets(targets, shown)}
        <p>
          To test your agent, add it in the <a href="/dashboard">dashboard</a>, or run{' '}
          <code>npm run registry -- agent test URL</code>.
        </p>
        {storyboards.length === 0 ? (
          <p class="empty">This registry has no storyboards.</p>
        ) : (
          tracks
            .filter(track => byTrack.has(track))
            .map((track, index) => renderTrack(track, byTrack.get(track) ?? [], index === 0))
        )}
      </>
    ),
  }
}

/**
 * Renders the storyboards of a part of the protocol as a line that opens, the first one open: all at once would be
 * many screens.
 */
function renderTrack(track: Track, storyboards: readonly Listed[], isOpen: boolean): Html {
  const isTested = storyboards.some(({ agents_tested }) => agents_tested > 0)
  return (
    <details class="group last-wide" id={track} open={isOpen}>
      <summary>
        <h2>{capitalize(toPlainWords(track))}</h2>{' '}
        <span class="quiet">{countThings(storyboards.length, 'storyboard')}</span>
      </summary>
      {renderTable({
        caption: `Storyboards: ${toPlainWords(track)}`,
        columns: ['Storyboard', 'Steps', 'Passed by', 'What it tests'],
        items: storyboards,
        limit: storyboards.length,
        bytes: TRACK_BYTES,
        empty: '',
        render: ({ id, title, step_count, summary, ...counts }) => [
          <a href={toStoryboardPath(id)}>{renderName(title, 120)}</a>,
          step_count,
          isTested && (counts.agents_tested > 0 ? describePassing(counts) : '–'),
          renderName(summary, 240),
        ],
      })}
    </details>
  )
}

/** Renders links to the storyboards of other versions, where there are some. */
function renderTargets(targets: ReturnType<typeof listTargets>, shown: string): Child {
  if (targets.length < 2) return null
  return (
    <p>
      Versions:{' '}
      {targets.map(({ target }) => (
        <>
          <a
            href={`/storyboards?compliance_target=${target}`}
            aria-current={target === shown ? 'page' : undefined}
          >
            {target}
          </a>{' '}
        </>
      ))}
    </p>
  )
}

/** Describes how many agents pass. */
export function describePassing({
  agents_passing,
  agents_tested,
}: Pick<StoryboardList['storyboards'][number], 'agents_passing' | 'agents_tested'>): string {
  if (agents_tested === 0) return 'no results yet'
  return `${formatCount(agents_passing)} of ${countThings(agents_tested, 'agent')}`
}
