import { countThings } from '../../pipeline/core/counts.ts'
import type { AgentDiagnostic } from '../../pipeline/model/responses/monitoring.ts'
import type { ComparedPhase } from '../../pipeline/model/storyboards/storyboard-comparison.ts'
import {
  type SideResult,
  type StepGuidance,
  type StepResult,
  skipReasons,
} from '../../pipeline/model/storyboards/storyboard-result.ts'
import { type Child, Fragment, type Html, h } from '../pages/html/jsx.ts'
import { renderMarkdown } from '../pages/html/markdown.ts'
import {
  capitalize,
  clipText,
  renderCoded,
  renderName,
  renderOutside,
} from '../pages/html/text.tsx'
import { renderFacts } from '../pages/parts/blocks.tsx'
import { renderBadge } from '../pages/parts/freshness.tsx'
import { toStoryboardPath } from '../pages/parts/paths.ts'

/** Characters of a value, and of all values of a page: those of many steps are cut shorter. */
const JSON_CHARS = 3_000
const PAGE_JSON_CHARS = 24_000
const TEXT_CHARS = 600

const shareChars = (values: number) => Math.min(JSON_CHARS, Math.floor(PAGE_JSON_CHARS / values))

/** Renders the steps of a stored run that failed, below what to change for them; the first one is open. */
export function renderFailedSteps(
  steps: readonly AgentDiagnostic[],
  titles: ReadonlyMap<string, string>,
): Html[] {
  const chars = shareChars(2 * steps.length)
  return [...Map.groupBy(steps, findReason)].map(([reason, failed]) => (
    <>
      <h3>{renderCoded(reason, TEXT_CHARS)}</h3>
      {failed.map(step => renderFailedStep(step, titles, step === steps[0], chars))}
    </>
  ))
}

function findReason({ guidance, error_text, failed_validations_jsonb }: AgentDiagnostic): string {
  return guidance?.fix ?? error_text ?? failed_validations_jsonb[0]?.description ?? ''
}

/** Renders a step that failed: what was broken, what was sent and what came. */
function renderFailedStep(
  step: AgentDiagnostic,
  titles: ReadonlyMap<string, string>,
  isOpen: boolean,
  chars: number,
): Html {
  const { storyboard_id, step_id, guidance, error_text } = step
  return (
    <details class="diff" open={isOpen}>
      <summary>
        {renderName(
          `${titles.get(storyboard_id) ?? spellId(storyboard_id)}: ${spellId(step_id)}`,
          160,
        )}
      </summary>
      {renderFacts([
        ['Expected', guidance && renderExpected(guidance.expected)],
        ...listHelp(guidance, error_text),
      ])}
      <div class="sides">
        {renderValue('Sent', step.request_jsonb, chars)}
        {renderValue(describeAnswer(step.response_status), step.response_jsonb, chars)}
      </div>
      <p>
        <a href={toStoryboardPath(storyboard_id)}>The whole storyboard</a>
      </p>
    </details>
  )
}

/** Spells the id of a step as words; the rule below it keeps the id. */
function spellId(id: string): string {
  return capitalize(id.replaceAll(/[_-]+/g, ' '))
}

function describeAnswer(status: number | undefined): string {
  return status === undefined ? 'Response' : `Response (status ${status})`
}

function listHelp(
  guidance: StepGuidance | undefined,
  error: string | null | undefined,
): (readonly [name: string, value: Child])[] {
  return [
    ['Failed check', guidance && renderCoded(guidance.sentence, TEXT_CHARS)],
    ['Answered with', error ? renderCoded(error, TEXT_CHARS) : undefined],
    ['Rule ID', guidance && <code>{clipText(guidance.rule, 200)}</code>],
    ['Explained at', guidance?.reference_url && renderOutside(guidance.reference_url)],
  ]
}

/** Renders what a storyboard expects of an answer, without links: its documents are not here. */
function renderExpected(text: string): Html {
  return renderMarkdown(clipText(text, TEXT_CHARS), () => undefined)
}

function renderValue(title: string, value: unknown, chars: number): Html {
  const text = value === undefined ? 'nothing' : JSON.stringify(value, null, 2)
  return (
    <div class="raw">
      <h3>{title}</h3>
      <pre>{clipText(text, chars)}</pre>
    </div>
  )
}

type ComparedStep = ComparedPhase['steps'][number]

/** Tells whether both agents ran a step, with different results; what one of them does not offer shows nothing. */
export function isContrary({ differs, user_result, reference_result }: ComparedStep): boolean {
  return differs && user_result.passed !== null && reference_result.passed !== null
}

/** Renders the phases of a comparison; the first step in which both sides differ is open. */
export function renderComparedPhases(phases: readonly ComparedPhase[]): Html {
  const all = phases.flatMap(({ steps }) => steps)
  const first = all.find(isContrary) ?? all.find(({ differs }) => differs)
  const sides = all.flatMap(({ user_result, reference_result }) => [user_result, reference_result])
  const chars = shareChars(2 * sides.filter(side => findStep(side)?.exchange !== undefined).length)
  return (
    <>
      {phases.map(({ title, steps }) => (
        <section>
          <h2>{renderName(title, 200)}</h2>
          {steps
            .filter(({ differs }) => differs)
            .map(step => renderComparedStep(step, step === first, chars))}
          {renderEqualSteps(
            steps.filter(({ differs }) => !differs),
            chars,
          )}
        </section>
      ))}
    </>
  )
}

/** Renders the steps with the same result on both sides, folded into one line. */
function renderEqualSteps(steps: readonly ComparedStep[], chars: number): Html | null {
  if (steps.length === 0) return null
  const said = countThings(steps.length, 'step has the same result', 'steps have the same result')
  return (
    <details class="fold">
      <summary>{said}</summary>
      {steps.map(step => renderComparedStep(step, false, chars))}
    </details>
  )
}

function renderComparedStep(step: ComparedStep, isOpen: boolean, chars: number): Html {
  const { title, task, expected, user_result, reference_result, differs } = step
  return (
    <details class="diff" open={isOpen}>
      <summary>
        {renderName(title, 160)}{' '}
        {isContrary(step)
          ? renderBadge('bad', 'differs')
          : differs && renderBadge('none', 'only one agent ran it')}
      </summary>
      <p>
        Task <code>{clipText(task, 80)}</code>
      </p>
      {renderExpected(expected)}
      <div class="sides">
        {renderSide('Your agent', user_result, chars)}
        {renderSide('Reference agent', reference_result, chars)}
      </div>
    </details>
  )
}

const results = { passed: 'good', failed: 'bad', 'not run': 'none' } as const

function findStep({ scenarios }: SideResult): StepResult | undefined {
  return scenarios.flatMap(({ steps }) => steps)[0]
}

function renderSide(title: string, side: SideResult, chars: number): Html {
  const { passed } = side
  const result = passed === null ? 'not run' : passed ? 'passed' : 'failed'
  const step = findStep(side)
  return (
    <div>
      <h3>
        {title} {renderBadge(results[result], result)}
      </h3>
      {step === undefined ? null : renderStep(step, chars)}
    </div>
  )
}

function renderStep({ guidance, error, skip_reason, exchange }: StepResult, chars: number): Html {
  return (
    <>
      {skip_reason === undefined ? null : <p>Not run: {skipReasons[skip_reason]}.</p>}
      {renderFacts([
        ['Change', guidance && renderCoded(guidance.fix, TEXT_CHARS)],
        ...listHelp(guidance, error),
      ])}
      {exchange === undefined ? null : (
        <>
          {renderValue('Sent', exchange.request.payload, chars)}
          {renderValue(
            describeAnswer(exchange.response_record?.status),
            exchange.response_record?.payload,
            chars,
          )}
        </>
      )}
    </>
  )
}
