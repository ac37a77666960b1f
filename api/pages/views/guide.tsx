import { findGuide, toGuidePath } from '../guides.ts'
import { h } from '../html/jsx.ts'
import { renderMarkdown } from '../html/markdown.ts'
import { clipText } from '../html/text.tsx'
import { renderProblem } from '../parts/problem.tsx'
import type { View, ViewCall } from '../view.ts'

/** The registry of the examples, which `npm start` runs. */
const EXAMPLE_ORIGIN = 'http://127.0.0.1:3000'
const DOCUMENT = /^(?:[./]*|guides\/)([\w-]+)\.md(#.*)?$/

/** Shows one guide; its calls go to the registry that shows it. */
export async function show({
  params: { name },
  services,
}: ViewCall<unknown, { name: string }>): Promise<View> {
  const guide = findGuide(name)
  if (guide === undefined) {
    const title = 'Guide not found'
    const text = `No guide is called ${clipText(name, 100)}; /docs/guides lists all.`
    return { status: 404, title, description: text, body: renderProblem(title, text) }
  }
  const { title, summary, markdown } = guide
  const text = markdown.replaceAll(EXAMPLE_ORIGIN, services.baseUrl())
  return {
    title,
    description: summary,
    body: <article class="guide">{renderMarkdown(text, toAddress)}</article>,
  }
}

/** Converts a link between documents to one between pages; undefined for a document without a page. */
function toAddress(address: string): string | undefined {
  if (!address.includes('.md')) return address
  const [, name = '', anchor = ''] = DOCUMENT.exec(address) ?? []
  return findGuide(name) && `${toGuidePath(name)}${anchor}`
}
