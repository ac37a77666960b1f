import { type Effect, getEffect, type Outcome, outcomes } from '../../../pipeline/core/outcomes.ts'
import type { FreshnessBlock } from '../../../pipeline/model/responses/index.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { renderMoment } from '../html/text.tsx'

type State = FreshnessBlock['state']

const words: Readonly<Record<State, [label: string, look: string, means: string]>> = {
  current: ['current', 'good', 'up to date'],
  stale: ['stale', 'fair', 'not read for two days'],
  failing: ['failing', 'fair', 'the last attempt failed'],
  absent: ['not found', 'none', 'there is no such file'],
  invalid: ['invalid', 'bad', 'cannot be used'],
  never_crawled: ['never crawled', 'none', 'not read yet'],
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

const results: Readonly<Record<Effect, [label: string, look: string]>> = {
  success: ['read', 'good'],
  absent: ['not found', 'none'],
  unusable: ['invalid', 'bad'],
  garbled: ['invalid', 'bad'],
  unreachable: ['not reached', 'fair'],
}

/** The results of attempts, the best first. */
export const resultNames: readonly string[] = [
  ...new Set(Object.values(results).map(([label]) => label)),
]

/** Names the result of an attempt. */
export function nameResult(outcome: Outcome): string {
  return results[getEffect(outcome)][0]
}

/** Renders the result of an attempt in the words of the state that it leads to. */
export function renderResult(outcome: Outcome): Html {
  const [label, look] = results[getEffect(outcome)]
  return renderBadge(look, label)
}

/** Renders the state of a file as a sentence with its times. */
export function renderFreshness(
  freshness: FreshnessBlock | undefined,
  file: string,
  link = ': ',
): Html {
  const { state, outcome, checked_at, succeeded_at, http_status } = freshness ?? {
    state: 'never_crawled' as const,
  }
  const isExplained = state === 'current' || state === 'absent'
  const reason = isExplained ? undefined : outcomes[outcome as Outcome]?.means
  return (
    <p class="freshness">
      {renderState(state)} <span>{file}</span>
      {link}
      {words[state]?.[2] ?? state}
      {reason === undefined ? null : `, ${reason}`}
      {http_status === undefined || state === 'current' ? null : ` (HTTP ${http_status})`}
      {checked_at === undefined ? null : <>; last checked {renderMoment(checked_at)}</>}
      {succeeded_at === undefined || succeeded_at === checked_at ? null : (
        <>, last read {renderMoment(succeeded_at)}</>
      )}
      .
    </p>
  )
}

/** Renders the state of the least fresh of several files, which is that of all if it is up to date. */
export function renderLeastFresh(freshness: FreshnessBlock | undefined): Html {
  return freshness?.state === 'current'
    ? renderFreshness(freshness, 'All sources', ' ')
    : renderFreshness(freshness, 'Least fresh source')
}
