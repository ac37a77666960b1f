import { type Guide, listGuides, toGuidePath } from '../guides.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { renderSection } from '../parts/blocks.tsx'
import type { View } from '../view.ts'

/** Shows all guides. */
export async function show(): Promise<View> {
  const guides = listGuides()
  return {
    title: 'Guides',
    description: 'How buyers, publishers, operators and analysts use the registry.',
    body: (
      <>
        <h1>Guides</h1>
        <p class="lead">
          One for each role, with calls you can paste. Every operation is in the{' '}
          <a href="/docs">API reference</a>.
        </p>
        {renderSection('users', 'By role', renderGuides(guides.filter(guide => guide.isForUsers)))}
        {renderSection(
          'things',
          'By subject',
          renderGuides(guides.filter(guide => !guide.isForUsers)),
        )}
      </>
    ),
  }
}

function renderGuides(guides: readonly Guide[]): Html {
  return (
    <dl class="guides">
      {guides.map(({ name, title, summary }) => (
        <>
          <dt>
            <a href={toGuidePath(name)}>{title}</a>
          </dt>
          <dd>{summary}</dd>
        </>
      ))}
    </dl>
  )
}
