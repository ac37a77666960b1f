import { countThings } from '../../../pipeline/core/counts.ts'
import type { PublicError } from '../../../pipeline/core/errors.ts'
import type { CheckedSale } from '../../../pipeline/model/responses/authority.ts'
import { describeRefusal } from '../describe-refusal.ts'
import { type Child, Fragment, type Html, h } from '../html/jsx.ts'
import { renderCoded, renderName } from '../html/text.tsx'
import { renderCounts, renderSection, renderTable } from '../parts/blocks.tsx'
import { renderAgent } from '../parts/events.tsx'
import { renderBadge } from '../parts/freshness.tsx'
import { renderOperatorSide } from '../parts/operator-side.tsx'
import { toQuestionPath } from '../parts/sale-question.tsx'
import { neededWords } from '../parts/verdict.tsx'
import type { View } from '../view.ts'

const ANSWERS_BYTES = 100_000
const EXAMPLE = `agent_url,domain
https://agent.example/mcp,acme.example`

/** Shows the empty form. */
export async function show(): Promise<View> {
  return showForm('')
}

/** Shows the form with a list, and the answer to each of its lines. */
export function showChecked(text: string, answers: readonly CheckedSale[]): View {
  return showForm(text, { result: renderAnswers(answers) })
}

/** Shows the form with a list that could not be read, and why. */
export function showRefused(text: string, refused: PublicError): View {
  const fault =
    text.trim() === '' ? 'Paste or upload a list first.' : describeRefusal(refused.message)
  return showForm(text, { fault })
}

function showForm(text: string, { fault, result }: { fault?: string; result?: Html } = {}): View {
  return {
    ...(fault !== undefined && { status: 400 as const }),
    title: 'Check many authorizations',
    description: 'Paste or upload a list of agents and domains: which can sell ads where?',
    body: (
      <>
        <h1>Check many authorizations</h1>
        <p class="lead">
          Upload or paste a CSV with one agent and one domain or other identifier per line. Nothing
          is stored. To check one pair and see the evidence,{' '}
          <a href="/authorization">use the single check</a>.
        </p>
        {fault === undefined ? null : (
          <p class="notice bad" id="fault" role="alert">
            {renderCoded(fault, 500)}
          </p>
        )}
        <form
          class="editor"
          method="post"
          action="/authorization/list"
          enctype="multipart/form-data"
        >
          <div class="row">
            <label>
              Upload a file
              <input id="file" name="file" type="file" accept=".csv,.tsv,.txt,text/csv" />
            </label>
          </div>
          <label for="text">Or paste rows</label>
          <textarea
            id="text"
            name="text"
            rows="10"
            spellcheck="false"
            wrap="off"
            placeholder={EXAMPLE}
            {...(fault !== undefined && { 'aria-invalid': 'true', 'aria-describedby': 'fault' })}
          >
            {text}
          </textarea>
          <p class="quiet">
            Columns: <code>agent_url</code> and <code>domain</code>, or <code>agent_url</code>,{' '}
            <code>identifier_type</code> and <code>identifier_value</code>.
          </p>
          <div class="row">
            <button type="submit">Check</button>
            {fault === undefined ? (
              <button type="submit" class="plain" name="do" value="download">
                Download results as CSV
              </button>
            ) : null}
          </div>
        </form>
        {result ?? null}
      </>
    ),
  }
}

const verdicts = {
  confirmed: ['good', 'Yes, confirmed'],
  authorized: ['good', 'Yes'],
  refused: ['bad', 'No'],
  unknown: ['none', 'Unknown'],
  depends: ['fair', 'Depends on terms'],
} as const

function findVerdict({
  authorized,
  confirmed,
  needs,
  publisher_side,
}: CheckedSale): keyof typeof verdicts {
  if (confirmed) return 'confirmed'
  if (authorized) return 'authorized'
  if (needs !== undefined) return 'depends'
  return publisher_side === 'unknown' ? 'unknown' : 'refused'
}

/** Renders the verdict, with a link to its evidence. */
function renderVerdict(answer: CheckedSale): Html {
  const [look, word] = verdicts[findVerdict(answer)]
  const badge = renderBadge(look, answer.needs ? neededWords[answer.needs] : word)
  return <a href={toQuestionPath(answer)}>{badge}</a>
}

function renderAnswers(answers: readonly CheckedSale[]): Html {
  const understood = answers.filter(({ error }) => error === undefined)
  const count = (verdict: keyof typeof verdicts) =>
    understood.filter(answer => findVerdict(answer) === verdict).length
  return (
    <>
      {renderCounts([
        ['authorized', count('authorized') + count('confirmed')],
        ['confirmed by the operator', count('confirmed')],
        ['not authorized', count('refused')],
        ['depends on terms', count('depends')],
        ['unknown', count('unknown')],
        ['invalid rows', answers.length - understood.length],
      ])}
      {renderSection(
        'answers',
        'Results',
        renderTable({
          caption: countThings(answers.length, 'result'),
          columns: ['Agent', 'Property', 'Authorized', 'Operator'],
          items: answers,
          total: answers.length,
          bytes: ANSWERS_BYTES,
          empty: 'The list is empty.',
          render: answer => [
            renderAsked(answer),
            renderProperty(answer),
            answer.error ? (
              <>
                {renderBadge('bad', 'Invalid')}{' '}
                {renderCoded(describeRefusal(answer.error, answer), 400)}
              </>
            ) : (
              renderVerdict(answer)
            ),
            renderOperatorSide(answer),
          ],
        }),
      )}
    </>
  )
}

/** Renders the property, and its publisher where that is known by another name. */
function renderProperty({ identifier_value, publisher_domain }: CheckedSale): Child {
  if (identifier_value === undefined) return null
  const name = renderName(identifier_value, 120)
  if (publisher_domain == null || publisher_domain === identifier_value) return name
  return (
    <>
      {name} <div class="quiet">of {renderName(publisher_domain, 80)}</div>
    </>
  )
}

function renderAsked({ line, agent_url, error }: CheckedSale): Html | string {
  if (agent_url === undefined) return `Row ${line}`
  return error === undefined ? renderAgent(agent_url) : renderName(agent_url, 120)
}
