import { countThings } from '../../../pipeline/core/counts.ts'
import { Fragment, h } from '../html/jsx.ts'
import { renderName } from '../html/text.tsx'
import { renderProblem, renderWayOn } from '../parts/problem.tsx'
import type { View } from '../view.ts'

/** Watches that the link of a mail ends; undefined once it has ended. */
export type Ended = { subject: string } | { daily: number } | undefined

/** Asks for the press of a button: programs that open links in mails must end nothing. */
export function showQuestion(ended: Ended, token: string): View {
  if (ended === undefined) return showEnded()
  const title = 'Stop these emails?'
  const what =
    'subject' in ended ? (
      <>
        You no longer get emails about {renderName(ended.subject.replace(/^https:\/\//, ''), 200)}.
      </>
    ) : (
      <>
        You no longer get the daily email: it is about {countThings(ended.daily, 'thing')} that you
        watch.
      </>
    )
  const body = (
    <section class="problem">
      <h1>{title}</h1>
      <p class="lead">{what}</p>
      <form method="post" action={`?${new URLSearchParams({ token })}`}>
        <button type="submit">Stop watching</button>
      </form>
      <p>
        Or <a href="/dashboard/watches">see everything that you watch</a>, and change how often you
        get emails.
      </p>
    </section>
  )
  return { title, description: 'Stop emails about what you watch.', body }
}

export function showEnded(): View {
  const title = 'You get no more of these emails'
  const body = renderProblem(
    title,
    'You no longer watch this.',
    <>
      <p>
        <a href="/dashboard/watches">Everything that you watch</a>
      </p>
      {renderWayOn()}
    </>,
  )
  return { title, description: title, body }
}
