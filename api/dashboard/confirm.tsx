import { Fragment, h } from '../pages/html/jsx.ts'
import { renderName } from '../pages/html/text.tsx'
import type { DashboardRequest } from './dashboard-request.ts'
import { TOKEN_FIELD } from './form-tokens.ts'
import { type DashboardAnswer, renderHidden, renderToken } from './page.tsx'

/** Field that a form has once its person was asked. */
const SURE = 'sure'
/** Field with what a form is about, in words, for the question. */
export const SUBJECT = 'subject'

interface Question {
  /** Text of the button; the question begins with it. */
  label: string
  effect: string
  /** A checkbox beside the button: the name of its field, and its words. */
  choice?: readonly [name: string, label: string]
}

/** Wraps a form whose effect cannot be taken back: it asks first, also without JavaScript. */
export function confirmFirst<Received extends DashboardRequest>(
  ask: (context: Received) => Question,
  act: (context: Received) => Promise<DashboardAnswer>,
) {
  return (context: Received) =>
    context.form.has(SURE) ? act(context) : showQuestion(context, ask(context))
}

function showQuestion(
  { form, request: { url }, token }: DashboardRequest,
  { label, effect, choice }: Question,
): DashboardAnswer {
  const fields = [...form].filter(([name]) => name !== TOKEN_FIELD)
  const subject = form.get(SUBJECT)
  const body = (
    <>
      <h1>
        {label}
        {subject === null ? null : <> {renderName(subject, 200)}</>}?
      </h1>
      <p class="lead">{effect}</p>
      <form method="post" action={url} class="row">
        {renderToken(token)}
        {renderHidden({ ...Object.fromEntries(fields), [SURE]: 'yes' })}
        {choice && (
          <label>
            <input type="checkbox" name={choice[0]} value="yes" /> {choice[1]}
          </label>
        )}
        <button type="submit" class="danger">
          {label}
        </button>
        <a href={url.slice(0, url.lastIndexOf('/'))}>Cancel</a>
      </form>
    </>
  )
  return { status: 200, title: `${label}?`, body }
}
