import {
  describeOutcome,
  nameResult,
  type Outcome,
  outcomes,
  type ResultName,
} from '../../../pipeline/core/outcomes.ts'
import type { FreshnessBlock } from '../../../pipeline/model/responses/index.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { renderMoment, toContractions } from '../html/text.tsx'

type State = FreshnessBlock['state']

/** Words for each state, and what they leave open. */
const words: Readonly<Record<State, [label: string, look: string, means?: string]>> = {
  current: ['current', 'good'],
  stale: ['stale', 'fair', 'hasn’t been read for two days'],
  failing: ['failing', 'fair', 'couldn’t be read'],
  absent: ['not found', 'none'],
  invalid: ['invalid', 'bad', 'can’t be used'],
  never_crawled: ['never crawled', 'none'],
}

export function renderBadge(look: string, text: string): Html {
  return <span class={`badge ${look}`}>{text}</span>
}

/** Describes the state of a file in a word or two. */
export function describeState(state: string): string {
  return words[state as State]?.[0] ?? state
}

/** Renders the state of a file as a word. */
export function renderState(state: string): Html {
  const [label, look] = words[state as State] ?? [state, 'none']
  return renderBadge(look, label)
}

const resultLooks: Readonly<Record<ResultName, string>> = {
  read: 'good',
  'not found': 'none',
  invalid: 'bad',
  unreachable: 'fair',
}

/** Renders the result of an attempt in the words of the state that it leads to. */
export function renderResult(outcome: Outcome): Html {
  const result = nameResult(outcome)
  return renderBadge(resultLooks[result], result)
}

/** Tells whether the last attempt read the file, whatever came of its content. */
export function isLastRead(freshness: FreshnessBlock | undefined): boolean {
  return outcomes[freshness?.outcome as Outcome]?.effect === 'success'
}

/** Renders the state of a file, and behind it why and its times. */
export function renderFreshness(freshness: FreshnessBlock | undefined, file: string): Html {
  const { state, outcome, checked_at, succeeded_at, http_status } = freshness ?? {
    state: 'never_crawled' as const,
  }
  const means = words[state]?.[2]
  const isFailure = outcome !== undefined && !isLastRead(freshness)
  const reason = isFailure
    ? toContractions(describeOutcome(outcome as Outcome, http_status ?? null))
    : undefined
  const status = http_status === undefined || !isFailure ? '' : ` (HTTP ${http_status})`
  const why =
    means === undefined || reason === undefined
      ? `${means === undefined ? '' : ` ${means}`}${status}`
      : ` ${means}: ${reason}`
  return (
    <p class="freshness">
      {renderState(state)} <span>{file}</span>
      {why}
      {checked_at && <>. Last checked {renderMoment(checked_at)}</>}
      {succeeded_at && succeeded_at !== checked_at && <>. Last read {renderMoment(succeeded_at)}</>}
    </p>
  )
}

/** Renders the state of the least fresh of several files, which is that of all if it is up to date; `file` is its address. */
export function renderLeastFresh(freshness: FreshnessBlock, file?: string): Html {
  const { state } = freshness
  if (state === 'current') return renderFreshness(freshness, 'All sources')
  if (file === undefined) return renderFreshness(freshness, 'Least fresh source')
  return renderFreshness(freshness, state === 'absent' ? `No file at ${file}` : file)
}
