import { getLast, getOrThrow } from '../../../pipeline/core/present.ts'
import type {
  DescribedOperation,
  OpenapiDocument,
  Parameter,
} from '../../operation/openapi-document.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { renderMarkdown } from '../html/markdown.ts'
import { renderSection } from '../parts/blocks.tsx'
import { renderCall, toGroupLabel, toOperationPath } from '../parts/operation.tsx'
import type { View, ViewCall } from '../view.ts'

const FIND_CHARS_MAX = 100

export interface Listed extends DescribedOperation {
  method: string
  path: string
  parameters: Parameter[]
}

/** Shows all operations by group, and the rules that apply to each of them. */
export async function show({
  query: { find },
  services,
}: ViewCall<{ find: string }>): Promise<View> {
  const openapi = services.openapi()
  const { info } = openapi
  return {
    title: 'API reference',
    description: 'Every operation of the registry, with its fields, answers and examples.',
    body: (
      <>
        <h1>API reference</h1>
        <p class="lead">Every operation, with examples to paste. Lookups need no key.</p>
        <p>
          Also available as OpenAPI 3.1 (<a href="/openapi/registry.yaml">YAML</a>,{' '}
          <a href="/openapi.json">JSON</a>) and over MCP at <code>{services.baseUrl()}/mcp</code>.
          New here? Start with the <a href="/docs/guides">guides</a>.{' '}
          <a href="#rules">Rules for all operations</a> are below.
        </p>
        <form class="row" action="/docs" method="get">
          <input
            name="find"
            type="search"
            value={find}
            maxlength={FIND_CHARS_MAX}
            aria-label="Filter by operation or parameter"
            placeholder="authorization"
          />
          <button type="submit" class="plain">
            Filter
          </button>
          {find === '' ? null : <a href="/docs">Show all</a>}
        </form>
        <section aria-label="Operations">{renderGroups(openapi, find)}</section>
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

/** Lists the operations of a description in its order, with their headers among their parameters. */
export function listOperations({ paths, components }: OpenapiDocument): Listed[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
      parameters: (operation.parameters ?? []).map(parameter =>
        '$ref' in parameter
          ? getOrThrow(
              new Map(Object.entries(components.parameters)),
              getLast(parameter.$ref.split('/')),
            )
          : parameter,
      ),
    })),
  )
}

/** Name of the group without a tag. */
const PAGES = 'Pages and documents'

/** Renders the groups of operations, the first one open; where words are looked for, those that have them, all open. */
function renderGroups(openapi: OpenapiDocument, find: string): Html[] | Html {
  const words = find.toLowerCase().split(/\s+/)
  const groups = [
    ...openapi.tags.map(({ name, description = '' }) => ({ id: toId(name), name, description })),
    {
      id: 'other',
      name: PAGES,
      description: 'Descriptions of this API, public keys and health checks',
    },
  ]
  const operations = listOperations(openapi)
  const found = groups.flatMap(group => {
    const own = group.name === PAGES ? undefined : group.name
    const listed = operations.filter(
      operation =>
        operation.tags?.[0] === own && words.every(word => toFoundText(operation).includes(word)),
    )
    const isOpen = find !== '' || group === groups[0]
    return listed.length === 0 ? [] : [renderGroup(group, listed, isOpen)]
  })
  return found.length > 0 ? found : <p class="empty">No matching operations.</p>
}

function toFoundText(operation: Listed): string {
  const { method, path, summary, operationId, tags = [] } = operation
  return [method, path, summary, operationId, ...tags, ...listFields(operation)]
    .join(' ')
    .toLowerCase()
}

/** Lists the names of the parameters of an operation, and of the fields of its body. */
function listFields({ parameters, requestBody }: Listed): string[] {
  const bodies = Object.values(requestBody?.content ?? {})
  return [
    ...parameters.map(({ name }) => name),
    ...bodies.flatMap(({ schema }) => Object.keys(schema.properties ?? {})),
  ]
}

interface Group {
  id: string
  name: string
  description?: string
}

/** Renders a group of operations as a line that opens: all of them at once would be many screens. */
function renderGroup(
  { id, name, description }: Group,
  operations: readonly Listed[],
  isOpen: boolean,
): Html {
  return (
    <details class="group" id={id} open={isOpen}>
      <summary>
        <h2>{toGroupLabel(name)}</h2> <span class="quiet">{description}</span>
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
