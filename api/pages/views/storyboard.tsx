import { countThings } from '../../../pipeline/core/counts.ts'
import type { StoryboardDetail } from '../../../pipeline/model/responses/storyboards.ts'
import { readStoryboard } from '../../routes/agents/storyboards.ts'
import { type Child, Fragment, type Html, h } from '../html/jsx.ts'
import { renderMarkdown } from '../html/markdown.ts'
import { capitalize, clipText, renderCoded, renderMoment, renderName } from '../html/text.tsx'
import { renderFacts, renderSection, renderTable } from '../parts/blocks.tsx'
import { describeResult, testLooks } from '../parts/compliance.tsx'
import { renderBadge } from '../parts/freshness.tsx'
import { toAgentPath } from '../parts/paths.ts'
import { splitLead } from '../parts/split-lead.ts'
import type { View, ViewCall } from '../view.ts'
import { describePassing } from './storyboards.tsx'

const TEXT_CHARS = 6_000
const EXPECTED_CHARS = 1_500
const PHASE_BYTES = 40_000
const RESULT_ROWS = 50
const RESULT_BYTES = 20_000
const TASKS_OPEN_MAX = 4

type Storyboard = StoryboardDetail['storyboard']

/** Shows one storyboard: what an agent is asked, step by step, and what it must answer. */
export async function show({
  ask,
  params: { id },
}: ViewCall<unknown, { id: string }>): Promise<View> {
  const { body } = await ask<StoryboardDetail>(readStoryboard, { params: { id } })
  const { storyboard, results } = body
  const { title, summary, narrative, phases } = storyboard
  return {
    title,
    description: clipText(summary, 300),
    json: `/api/storyboards/${encodeURIComponent(id)}`,
    body: (
      <>
        <p class="kicker">
          <a href="/storyboards">Storyboards</a>
        </p>
        <h1>{renderName(title, 200)}</h1>
        <p class="lead">{renderName(summary, 600)}</p>
        {renderFacts([
          ['ID', <code>{clipText(id, 120)}</code>],
          ['Runs if the agent offers', renderTasks(storyboard.required_tools)],
          ['Track', renderName(capitalize(storyboard.track.replaceAll('_', ' ')), 60)],
        ])}
        <details>
          <summary>Why it is tested</summary>
          {renderText(narrative, TEXT_CHARS)}
        </details>
        {renderResults(results)}
        {renderSection('phases', 'Phases', phases.map(renderPhase))}
      </>
    ),
  }
}

/** Renders tasks of which an agent has to offer one; many are folded. */
function renderTasks(tasks: readonly string[]): Child {
  if (tasks.length === 0) return undefined
  const named = tasks.map((task, index) => [index === 0 ? '' : ', ', <code>{task}</code>])
  if (tasks.length <= TASKS_OPEN_MAX) return tasks.length === 1 ? named : ['any of ', named]
  return (
    <details>
      <summary>any of {countThings(tasks.length, 'task')}</summary>
      {named}
    </details>
  )
}

/** Renders which agents pass, by their last runs. */
function renderResults({ agents, ...counts }: StoryboardDetail['results']): Html {
  return renderSection(
    'results',
    'Results',
    renderTable({
      caption: 'Agents that were tested',
      columns: ['Agent', 'Result', 'Steps', 'When'],
      items: agents,
      limit: RESULT_ROWS,
      bytes: RESULT_BYTES,
      empty: 'No public agent has been tested with this storyboard yet.',
      render: ({ agent_url, status, steps_passed, steps_total, last_checked_at }) => [
        <a href={toAgentPath(agent_url)}>
          {renderName(agent_url.replace(/^https:\/\//, ''), 100)}
        </a>,
        renderBadge(testLooks[status] ?? 'none', describeResult(status)),
        `${steps_passed} of ${steps_total}`,
        renderMoment(last_checked_at),
      ],
    }),
    agents.length > 0 ? describePassing(counts) : undefined,
  )
}

/** Renders a phase as a line that opens: the steps of all at once would be many screens. */
function renderPhase({ id, title, steps }: Storyboard['phases'][number], index: number): Html {
  return (
    <details class="group" id={id} open={index === 0}>
      <summary>
        <h3>{renderName(title, 200)}</h3>{' '}
        <span class="quiet">{countThings(steps.length, 'step', 'steps')}</span>
      </summary>
      {renderTable({
        caption: title,
        columns: ['Step', 'Task', 'Expected response'],
        items: steps,
        bytes: PHASE_BYTES,
        empty: 'This phase has no steps.',
        render: step => [
          renderName(step.title, 200),
          // The test kit of the agent names the task.
          step.task.startsWith('$') ? 'a protected task' : <code>{clipText(step.task, 80)}</code>,
          renderExpected(clipText(step.expected, EXPECTED_CHARS)),
        ],
      })}
    </details>
  )
}

/** Renders what a step expects; of a longer text the first sentence, and the rest when it is opened. */
function renderExpected(text: string): Html {
  const { lead, rest } = splitLead(text)
  if (rest === '') return renderText(lead, EXPECTED_CHARS)
  return (
    <details>
      <summary>{renderCoded(lead)}</summary>
      {renderText(rest, EXPECTED_CHARS)}
    </details>
  )
}

/** Renders a text of a storyboard, whose links lead into documents that are not here, unless they are whole. */
function renderText(text: string, most: number): Html {
  return renderMarkdown(clipText(text, most), address =>
    address.startsWith('https://') ? address : undefined,
  )
}
