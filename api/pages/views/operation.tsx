import { formatCount } from '../../../pipeline/core/counts.ts'
import { type Limits, limitMeanings } from '../../../pipeline/core/limits.ts'
import { isTool, toToolName } from '../../mcp/tools.ts'
import { listCountedLimits } from '../../operation/counted-limits.ts'
import { listResponseHeaders } from '../../operation/openapi-headers.ts'
import type { Services } from '../../operation/services.ts'
import { operations } from '../../routes/index.ts'
import { type Child, Fragment, type Html, h } from '../html/jsx.ts'
import { renderMarkdown } from '../html/markdown.ts'
import { clipText } from '../html/text.tsx'
import {
  renderAccess,
  renderAnswers,
  renderCall,
  renderExample,
  renderInput,
  renderResponseHeaders,
  toGroupLabel,
  toOperationPath,
} from '../parts/operation.tsx'
import { showMissing } from '../parts/problem.tsx'
import type { View, ViewCall } from '../view.ts'
import { type Listed, listOperations } from './reference.tsx'

/** Shows one operation: its fields, an example and its answers. */
export async function show({
  params: { id },
  services,
}: ViewCall<unknown, { id: string }>): Promise<View> {
  const listed = listOperations(services.openapi())
  const operation = listed.find(({ operationId }) => operationId === id)
  if (operation === undefined) {
    const title = 'Operation not found'
    const text = `There is no operation called ${clipText(id, 100)}. See all operations at /docs.`
    return showMissing(title, text)
  }
  const known = operations.find(operation => operation.id === id)
  const { tags: [group] = [], summary, description = '', method, path } = operation
  return {
    title: summary,
    description: description === '' ? `${method} ${path}` : description,
    body: (
      <>
        <p class="kicker">
          <a href="/docs">API reference</a>
          {group === undefined ? '' : ` · ${toGroupLabel(group)}`}
        </p>
        <h1>{summary}</h1>
        <p>{renderCall(method, path)}</p>
        {renderMarkdown(description, address => address)}
        <p class="quiet">{renderAccess(operation)}</p>
        {renderTool(id)}
        {renderLimits(id, services)}
        {renderInput(operation)}
        {renderExample(operation)}
        {renderAnswers(operation)}
        {renderResponseHeaders(known ? listResponseHeaders(known) : [])}
        {renderNeighbors(operation, listed)}
      </>
    ),
  }
}

/** Renders the ways to the operations of the same group before and after one. */
function renderNeighbors(operation: Listed, listed: readonly Listed[]): Html {
  const group = listed.filter(({ tags }) => tags?.[0] === operation.tags?.[0])
  const at = group.indexOf(operation)
  const renderWay = (rel: 'prev' | 'next', label: string, other: Listed | undefined) =>
    other && (
      <a rel={rel} href={toOperationPath(other.operationId)}>
        {label}: {other.summary}
      </a>
    )
  return (
    <div class="pages">
      {renderWay('prev', 'Previous', group[at - 1])} {renderWay('next', 'Next', group[at + 1])}
    </div>
  )
}

/** Names the tool by which agents call an operation. */
function renderTool(id: string): Child {
  const known = operations.find(operation => operation.id === id)
  if (known === undefined || !isTool(known)) return null
  return (
    <p class="quiet">
      MCP tool: <code>{toToolName(id)}</code>
    </p>
  )
}

/** Renders how often an operation may be called, and with how much, as this registry limits it. */
function renderLimits(id: string, { config }: Services): Child {
  const known = operations.find(operation => operation.id === id)
  const limits = known === undefined ? [] : listCountedLimits(known)
  const { itemsLimit, bodyLimit } = known ?? {}
  const describe = (name: keyof Limits) =>
    `${formatCount(config.LIMITS[name])} ${limitMeanings[name]}`
  return (
    <>
      {limits.length === 0 ? null : (
        <p class="quiet">
          Limits: {limits.map(describe).join('; ')}. Above the limit, requests return 429 with{' '}
          <code>Retry-After</code>.
        </p>
      )}
      {itemsLimit && (
        <p class="quiet">At most {describe(itemsLimit)}; a longer list returns 400.</p>
      )}
      {bodyLimit && <p class="quiet">At most {describe(bodyLimit)}; a larger one returns 413.</p>}
    </>
  )
}
