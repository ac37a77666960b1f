import type { AgentDiagnostic } from '../../pipeline/model/responses/monitoring.ts'
import type { ComparedPhase } from '../../pipeline/model/storyboards/storyboard-comparison.ts'
import {
  type SideResult,
  type StepGuidance,
  type StepResult,
  skipReasons,
} from '../../pipeline/model/storyboards/storyboard-result.ts'
import { type Child, Fragment, type Html, h } from '../pages/html/jsx.ts'
import { clipText, renderName, renderOutside } from '../pages/html/text.tsx'
import { renderFacts } from '../pages/parts/blocks.tsx'
import { renderBadge } from '../pages/parts/freshness.tsx'
import { toStoryboardPath } from '../pages/parts/paths.ts'

const JSON_CHARS = 3_000
const TEXT_CHARS = 600

/** Renders a step of a stored run that failed: what was broken, what to change, what was sent and what came. */
export function renderFailedStep(step: AgentDiagnostic, isOpen: boolean): Html {
  const { storyboard_id, step_id, guidance, error_text, failed_validations_jsonb: failed } = step
  const reason = guidance?.fix ?? error_text ?? failed[0]?.description ?? ''
  return (
    <details class="diff" open={isOpen}>
      <summary>
        {renderName(`${storyboard_id} / ${step_id}`, 160)}: {clipText(reason, 200)}
      </summary>
      {renderHelp(guidance, error_text)}
      <div class="sides">
        {renderValue('Sent', step.request_jsonb)}
        {renderValue(describeAnswer(step.response_status), step.response_jsonb)}
      </div>
      <p>
        <a href={toStoryboardPath(storyboard_id)}>The whole storyboard</a>
      </p>
    </details>
  )
}

function describeAnswer(status: number | undefined): string {
  return status === undefined ? 'Answer' : `Answer (status ${status})`
}

function renderHelp(guidance: StepGuidance | undefined, error: string | null | undefined): Child {
  return renderFacts([
    ['Change', guidance && clipText(guidance.fix, TEXT_CHARS)],
    ['Broken', guidance && clipText(guidance.sentence, TEXT_CHARS)],
    ['Expected', guidance && clipText(guidance.expected, TEXT_CHARS)],
    ['Answered with', error ? clipText(error, TEXT_CHARS) : undefined],
    ['Rule', guidance && <code>{clipText(guidance.rule, 200)}</code>],
    ['Explained at', guidance?.reference_url && renderOutside(guidance.reference_url)],
  ])
}

function renderValue(title: string, value: unknown): Html {
  const text = value === undefined ? 'nothing' : JSON.stringify(value, null, 2)
  return (
    <div class="raw">
      <h3>{title}</h3>
      <pre tabindex="0">{clipText(text, JSON_CHARS)}</pre>
    </div>
  )
}

/** Renders the phases of a comparison; the first step in which both sides differ is open. */
export function renderComparedPhases(phases: readonly ComparedPhase[]): Html {
  const first = phases.flatMap(({ steps }) => steps).find(({ differs }) => differs)
  return (
    <>
      {phases.map(({ title, steps }) => (
        <section>
          <h2>{renderName(title, 200)}</h2>
          {steps.map(step => renderComparedStep(step, step === first))}
        </section>
      ))}
    </>
  )
}

function renderComparedStep(step: ComparedPhase['steps'][number], isOpen: boolean): Html {
  const { title, task, expected, user_result, reference_result, differs } = step
  return (
    <details class="diff" open={isOpen}>
      <summary>
        {renderName(title, 160)} {differs ? renderBadge('bad', 'differs') : null}
      </summary>
      <p>
        <code>{clipText(task, 80)}</code> {clipText(expected, TEXT_CHARS)}
      </p>
      <div class="sides">
        {renderSide('Your agent', user_result)}
        {renderSide('Reference agent', reference_result)}
      </div>
    </details>
  )
}

const results = { passed: 'good', failed: 'bad', 'not run': 'none' } as const

function renderSide(title: string, { passed, scenarios }: SideResult): Html {
  const result = passed === null ? 'not run' : passed ? 'passed' : 'failed'
  const [step] = scenarios.flatMap(({ steps }) => steps)
  return (
    <div>
      <h3>
        {title} {renderBadge(results[result], result)}
      </h3>
      {step === undefined ? null : renderStep(step)}
    </div>
  )
}

function renderStep({ guidance, error, skip_reason, exchange }: StepResult): Html {
  return (
    <>
      {skip_reason === undefined ? null : <p>Not run: {skipReasons[skip_reason]}.</p>}
      {renderHelp(guidance, error)}
      {exchange === undefined ? null : (
        <>
          {renderValue('Sent', exchange.request.payload)}
          {renderValue(
            describeAnswer(exchange.response_record?.status),
            exchange.response_record?.payload,
          )}
        </>
      )}
    </>
  )
}
