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
      <>You’ll no longer get emails about {renderName(toShownName(ended.subject), 200)}.</>
    ) : (
      <>
        You’ll no longer get the daily email: it covers {countThings(ended.daily, 'thing')} that you
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

/** Shows that emails have ended; those of which watch is unknown once its link was used. */
export function showEnded(ended?: Ended): View {
  const title = 'Unsubscribed'
  const body = renderProblem(
    title,
    `You’re no longer watching ${describeEnded(ended)}.`,
    <>
      <p>
        <a href="/dashboard/watches">Everything that you watch</a>
      </p>
      {renderWayOn()}
    </>,
  )
  return { title, description: title, body }
}

function describeEnded(ended: Ended): string {
  if (ended === undefined) return 'this'
  if ('subject' in ended) return toShownName(ended.subject)
  return `the ${countThings(ended.daily, 'thing')} of your daily email`
}

function toShownName(subject: string): string {
  return subject.replace(/^https:\/\//, '')
}
