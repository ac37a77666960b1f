import { findGuide, guideGroups, toGuidePath } from '../guides.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { renderSection } from '../parts/blocks.tsx'
import type { View } from '../view.ts'

/** Shows all guides. */
export async function show(): Promise<View> {
  return {
    title: 'Guides',
    description: 'How publishers, buyers, agent operators and analysts use the registry.',
    body: (
      <>
        <h1>Guides</h1>
        <p class="lead">What you can do here, step by step, with calls to copy.</p>
        {guideGroups.map(({ title, guides }) =>
          renderSection(title.toLowerCase().replaceAll(' ', '-'), title, renderGuides(guides)),
        )}
      </>
    ),
  }
}

function renderGuides(guides: Readonly<Record<string, string>>): Html {
  return (
    <dl class="guides">
      {Object.entries(guides).map(([name, summary]) => (
        <>
          <dt>
            <a href={toGuidePath(name)}>{findGuide(name)?.title}</a>
          </dt>
          <dd>{summary}</dd>
        </>
      ))}
    </dl>
  )
}
