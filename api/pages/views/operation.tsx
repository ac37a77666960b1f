import { Fragment, h } from '../html/jsx.ts'
import { renderMarkdown } from '../html/markdown.ts'
import { clipText } from '../html/text.tsx'
import {
  describeAccess,
  renderAnswers,
  renderCall,
  renderExample,
  renderInput,
} from '../parts/operation.tsx'
import { renderProblem } from '../parts/problem.tsx'
import type { View, ViewCall } from '../view.ts'
import { listOperations } from './reference.tsx'

/** Shows one operation: its fields, an example and its answers. */
export async function show({
  params: { id },
  services,
}: ViewCall<unknown, { id: string }>): Promise<View> {
  const operation = listOperations(services.openapi()).find(({ operationId }) => operationId === id)
  if (operation === undefined) {
    const title = 'Operation not found'
    const text = `No operation is called ${clipText(id, 100)}; /docs lists all.`
    return { status: 404, title, description: text, body: renderProblem(title, text) }
  }
  const { tags: [group] = [], summary, description = '', method, path } = operation
  return {
    title: summary,
    description: description === '' ? `${method} ${path}` : description,
    body: (
      <>
        <p class="kicker">
          <a href="/docs">API reference</a>
          {group === undefined ? '' : ` · ${group}`}
        </p>
        <h1>{summary}</h1>
        <p>{renderCall(method, path)}</p>
        {renderMarkdown(description, address => address)}
        <p class="quiet">{describeAccess(operation)}</p>
        {renderInput(operation)}
        {renderExample(operation)}
        {renderAnswers(operation)}
      </>
    ),
  }
}
