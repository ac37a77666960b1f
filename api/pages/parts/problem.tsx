import { type Child, type Html, h } from '../html/jsx.ts'
import { renderCoded } from '../html/text.tsx'
import type { View } from '../view.ts'

/** Renders why there is nothing to show, and a way on; of a thing that can be watched with the button for that. */
export function renderProblem(
  title: string,
  text: string,
  more?: Child,
  watched?: { kind: string; watch: Html | null },
): Html {
  return (
    <section class="problem">
      {watched === undefined ? (
        <h1>{title}</h1>
      ) : (
        <div class="title">
          <div>
            <p class="kicker">{watched.kind}</p>
            <h1>{title}</h1>
          </div>
          {watched.watch}
        </div>
      )}
      <p class="lead">{renderCoded(text, 400)}</p>
      {more}
    </section>
  )
}

/** Shows that there is no such thing, and where to go on. */
export function showMissing(title: string, text: string): View {
  const body = renderProblem(title, text, renderWayOn())
  return { status: 404, title, description: text, body }
}

/** Renders where somebody may go on whose page is not there. */
export function renderWayOn(): Html {
  return (
    <p>
      Search for a brand, a publisher or an agent above, see <a href="/changes">what changed</a>, or
      go to the <a href="/">home page</a>.
    </p>
  )
}
