import { Html } from './jsx.ts'

/** Renders facts for machines in a page (JSON-LD). No text of them can end the element. */
export function renderLinkedData(facts: object): Html {
  const json = JSON.stringify(facts).replaceAll('<', '\\u003c')
  return new Html(`<script type="application/ld+json">${json}</script>`)
}
