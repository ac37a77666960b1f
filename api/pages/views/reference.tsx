import type { DescribedOperation, OpenapiDocument } from '../../operation/openapi-document.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { renderMarkdown } from '../html/markdown.ts'
import { renderSection } from '../parts/blocks.tsx'
import { renderCall, toOperationPath } from '../parts/operation.tsx'
import type { View, ViewCall } from '../view.ts'

interface Listed extends DescribedOperation {
  method: string
  path: string
}

/** Shows all operations by group, and the rules that apply to each of them. */
export async function show({ services }: ViewCall): Promise<View> {
  const openapi = services.openapi()
  const { tags, info } = openapi
  const operations = listOperations(openapi)
  return {
    title: 'API reference',
    description: 'Every operation of the registry, with its fields, answers and examples.',
    body: (
      <>
        <h1>API reference</h1>
        <p class="lead">Every operation, with examples to paste. Lookups need no key.</p>
        <p>
          Also as OpenAPI 3.1 (<a href="/openapi/registry.yaml">YAML</a>,{' '}
          <a href="/openapi.json">JSON</a>), over MCP at <code>{services.baseUrl()}/mcp</code>, and
          as <a href="/docs/guides">guides</a>. <a href="#rules">Rules for all operations</a> are
          below.
        </p>
        <section aria-label="Operations">
          {tags.map(({ name, description = '' }) =>
            renderGroup(
              { id: toId(name), name, description },
              operations.filter(({ tags: [group] = [] }) => group === name),
            ),
          )}
          {renderGroup(
            { id: 'other', name: 'Pages and documents' },
            operations.filter(({ tags: groups }) => groups === undefined),
          )}
        </section>
        {renderSection(
          'rules',
          'Rules for all operations',
          <details>
            <summary>Freshness, caching, credentials, errors, copies</summary>
            <div class="guide">{renderMarkdown(info.description, address => address)}</div>
          </details>,
        )}
      </>
    ),
  }
}

/** Lists the operations of a description in its order. */
export function listOperations({ paths }: OpenapiDocument): Listed[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  )
}

interface Group {
  id: string
  name: string
  description?: string
}

/** Renders a group of operations as a line that opens: all of them at once would be many screens. */
function renderGroup({ id, name, description }: Group, operations: readonly Listed[]): Html {
  return (
    <details class="group" id={id}>
      <summary>
        <h2>{name}</h2> <span class="quiet">{description}</span>
      </summary>
      {renderOperations(operations)}
    </details>
  )
}

function renderOperations(operations: readonly Listed[]): Html {
  return (
    <dl class="operations">
      {operations.map(({ operationId, method, path, summary }) => (
        <div>
          <dt>
            <a href={toOperationPath(operationId)}>{summary}</a>
          </dt>
          <dd>{renderCall(method, path)}</dd>
        </div>
      ))}
    </dl>
  )
}

function toId(group: string): string {
  return group.toLowerCase().replace(/\W+/g, '-')
}
