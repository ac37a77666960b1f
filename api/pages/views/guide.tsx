import { join } from 'node:path/posix'
import type { Config } from '../../../pipeline/core/config.ts'
import { chooseOperatorPort, chooseReceiverPort } from '../../../pipeline/core/ports.ts'
import { requireValue } from '../../../pipeline/core/present.ts'
import { findGuide, type Guide, listGuides, listHeadings, toGuidePath } from '../guides.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { type Place, renderMarkdown, toHeadingId } from '../html/markdown.ts'
import { clipText, renderCoded } from '../html/text.tsx'
import { showMissing } from '../parts/problem.tsx'
import type { View, ViewCall } from '../view.ts'

/** The registry of the examples, which `npm start` runs. */
const EXAMPLE_ORIGIN = 'http://127.0.0.1:3000'
const EXAMPLE_OPERATOR = 'http://127.0.0.1:3100'
/** Sections from which on a guide has a list of them. */
const CONTENTS_MIN = 3
/** Characters from which on the sections of a document are folded. */
const FOLDED_MIN = 9_000
/** Its page on the site has the same tables and columns. */
const DICTIONARY = 'data/README.md'
/** The port at which the receiver of the examples gets webhooks of the demo. */
const EXAMPLE_RECEIVER_PORT = /\b3300\b/g
const DOCUMENT = /^docs\/(?:guides\/|operate\/)?([\w-]+)\.md$/

/** Shows one guide; its calls go to the registry that shows it. */
export async function show({
  params: { name },
  services,
}: ViewCall<unknown, { name: string }>): Promise<View> {
  const guide = findGuide(name)
  if (guide === undefined) {
    const title = 'Guide not found'
    const text = `There is no guide called ${clipText(name, 100)}. See all guides at /docs/guides.`
    return showMissing(title, text)
  }
  const { title, summary, markdown } = guide
  const text = markdown
    .replaceAll(EXAMPLE_OPERATOR, buildOperatorOrigin(services.config))
    .replaceAll(EXAMPLE_ORIGIN, services.baseUrl())
    .replace(EXAMPLE_RECEIVER_PORT, port => String(chooseReceiverPort(services.config) || port))
  const begin = Math.max(0, text.search(/^## /m))
  const render = (markdown: string) => renderMarkdown(markdown, link => toPlace(link, guide))
  // A guide is read from its beginning to its end. A reference is opened where something is looked up, on a narrow screen.
  const isReference = guide.folder !== 'docs/guides' && text.length >= FOLDED_MIN
  return {
    title,
    description: summary,
    body: (
      <article class="guide">
        {render(text.slice(0, begin))}
        {renderContents(text)}
        {isReference ? renderFolded(text.slice(begin), render) : render(text.slice(begin))}
        {renderNext(guide)}
      </article>
    ),
  }
}

/** Renders the ways on from the end of a guide: to all guides, and to the next one. */
function renderNext(guide: Guide): Html {
  const all = listGuides()
  const next = all[all.indexOf(guide) + 1]
  return (
    <div class="pages">
      <a href="/docs/guides">All guides</a>
      {next === undefined ? null : (
        <a rel="next" href={toGuidePath(next.name)}>
          Next: {next.title}
        </a>
      )}
    </div>
  )
}

/** Renders the sections of a document folded, which a wide screen shows open; a link to one opens it. */
function renderFolded(markdown: string, render: (markdown: string) => Html): Html[] {
  const headings = listHeadings(markdown)
  const starts = headings.map(heading => markdown.indexOf(`## ${heading}\n`))
  return headings.map((heading, i) => (
    <details class="group">
      <summary>
        <h2>{renderCoded(heading)}</h2>
      </summary>
      <div id={toHeadingId(heading)}>
        {render(
          markdown.slice(requireValue(starts[i], 'start') + `## ${heading}`.length, starts[i + 1]),
        )}
      </div>
    </details>
  ))
}

/** Renders links to the sections of a guide that has many. */
function renderContents(markdown: string): Html | null {
  const headings = listHeadings(markdown)
  if (headings.length < CONTENTS_MIN) return null
  return (
    <details class="contents">
      <summary>On this page</summary>
      <ul>
        {headings.map(text => (
          <li>
            <a href={`#${toHeadingId(text)}`}>{renderCoded(text)}</a>
          </li>
        ))}
      </ul>
    </details>
  )
}

/** Builds the origin of the operator's port on this machine; one that is any free port is not known here. */
function buildOperatorOrigin(config: Config): string {
  const port = chooseOperatorPort(config)
  return port === 0 ? EXAMPLE_OPERATOR : `http://127.0.0.1:${port}`
}

/** Converts a link between documents to one between pages, or to the path of a file that has no page. */
function toPlace(link: string, { folder }: Guide): Place {
  if (/^(?:https?:|mailto:|[#/])/.test(link)) return link
  const [file = '', anchor] = link.split('#', 2)
  const path = join(folder, file)
  if (path === DICTIONARY) return '/sql#schema'
  const [, name = ''] = DOCUMENT.exec(path) ?? []
  if (findGuide(name) === undefined) return { path }
  return anchor === undefined ? toGuidePath(name) : `${toGuidePath(name)}#${anchor}`
}
