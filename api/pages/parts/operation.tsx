import { formatCount } from '../../../pipeline/core/counts.ts'
import { type ResponseHeader, responseHeaderTexts } from '../../operation/header-texts.ts'
import type { Json } from '../../operation/json-schema.ts'
import type { Content, DescribedOperation, Parameter } from '../../operation/openapi-document.ts'
import { type Child, Fragment, type Html, h } from '../html/jsx.ts'
import { renderMarkdown } from '../html/markdown.ts'
import { clipText } from '../html/text.tsx'
import { renderSection, renderTable } from './blocks.tsx'
import { describeType, renderFields, renderSchema } from './schema.tsx'

const EXAMPLE_CHARS_MAX = 8_000
/** Lines of an example that are shown without being opened. */
const OPEN_LINES_MAX = 30

/** Builds the path of the page of an operation. */
export function toOperationPath(id: string): string {
  return `/docs/operations/${id}`
}

/** Converts the name of a group of operations, which the API writes in title case, to a label. */
export function toGroupLabel(group: string): string {
  return group.charAt(0) + group.slice(1).toLowerCase()
}

/** Renders a method and a path, which may break after each of its slashes. */
export function renderCall(method: string, path: string): Html {
  return (
    <span class="call">
      <span class={`method ${method.toLowerCase()}`}>{method}</span>{' '}
      <code>
        {path.split(/(?<=.{5}\/)/).map((part, index) => (
          <>
            {index === 0 ? null : <wbr />}
            {part}
          </>
        ))}
      </code>
    </span>
  )
}

/** Says who may call an operation. */
export function renderAccess({ security }: DescribedOperation): Child {
  if (security.length === 0) return 'No key required.'
  const key = <a href="/docs/guides/clients#get-a-key">key</a>
  if (security.some(({ userToken }) => userToken !== undefined)) {
    return 'Requires an access token, sent as a bearer token.'
  }
  return security.some(needed => Object.keys(needed).length === 0) ? (
    <>No key required. A {key} may return more results.</>
  ) : (
    <>Requires an API {key} or an access token, sent as a bearer token.</>
  )
}

/** Renders what goes into an operation. */
export function renderInput({
  parameters,
  requestBody,
}: Pick<DescribedOperation, 'requestBody'> & { parameters: readonly Parameter[] }): Child {
  const fields = parameters.map(({ name, in: place, required, description, schema }) => ({
    name,
    type: <>{[describeType(schema), describeRange(schema), describeDefault(schema, place)]}</>,
    isRequired: required === true,
    description: String(description ?? ''),
  }))
  const { content = {} } = requestBody ?? {}
  const [body] = Object.values(content)
  return (
    <>
      {fields.length === 0
        ? ''
        : renderSection('parameters', 'Parameters', renderFields(fields, 'Parameters'))}
      {body === undefined
        ? ''
        : renderSection(
            'body',
            'Body',
            renderSchema(body.schema, 'Body'),
            Object.keys(content).join(', '),
          )}
    </>
  )
}

function describeDefault({ default: value }: Json, place: string): string {
  if (place === 'path') return ' (path)'
  if (place === 'header') return ' (header)'
  if (value === undefined || value === '') return ''
  return `, default ${typeof value === 'number' ? formatCount(value) : String(value)}`
}

function describeRange({ minimum, maximum }: Json): string {
  if (typeof minimum !== 'number' || typeof maximum !== 'number') return ''
  return `, ${formatCount(minimum)} to ${formatCount(maximum)}`
}

/** Renders an operation's example: the same call in each language, and the answer. */
export function renderExample(operation: DescribedOperation): Child {
  const samples = operation['x-codeSamples'] ?? []
  const answer = findExample(operation)
  if (samples.length === 0 && answer === undefined) return ''
  return renderSection(
    'example',
    'Example',
    <>
      {samples.map(({ label, source }, index) => (
        <details open={index === 0}>
          <summary>{label}</summary>
          <pre>{source}</pre>
        </details>
      ))}
      {answer === undefined ? '' : renderExampleAnswer(clipText(toText(answer), EXAMPLE_CHARS_MAX))}
    </>,
  )
}

function toText(answer: unknown): string {
  return typeof answer === 'string' ? answer.trimEnd() : JSON.stringify(answer, null, 2)
}

/** Renders the example of an answer, folded if it is longer than a screen. */
function renderExampleAnswer(text: string): Html {
  return (
    <details open={text.split('\n').length <= OPEN_LINES_MAX}>
      <summary>Response</summary>
      <pre>{text}</pre>
    </details>
  )
}

function findExample({ responses }: DescribedOperation): unknown {
  return Object.values(responses)
    .flatMap(({ content = {} }) => Object.values(content))
    .find(({ example }) => example !== undefined)?.example
}

/** Renders the headers of an operation's successes. */
export function renderResponseHeaders(names: readonly ResponseHeader[]): Child {
  if (names.length === 0) return ''
  const fields = names.map(name => {
    const { description, schema } = responseHeaderTexts[name]
    return { name, type: describeType(schema), isRequired: false, description }
  })
  return renderSection('headers', 'Response headers', renderFields(fields, 'Response headers'))
}

/** Renders the statuses with which an operation answers. */
export function renderAnswers({ responses }: DescribedOperation): Html {
  const renderContent = ([type, { schema, 'x-item-schema': item }]: [string, Content]) =>
    type === 'application/json' ? (
      describeType(schema)
    ) : (
      <>
        <code>{type}</code>
        {item === undefined ? '' : <>, lines of {describeType(item)}</>}
      </>
    )
  const statuses = Object.entries(responses)
  return renderSection(
    'answers',
    'Responses',
    renderTable({
      caption: 'Responses',
      columns: ['Status', 'Meaning', 'Content'],
      items: statuses,
      open: statuses.filter(([status]) => status < '400').length,
      empty: 'None.',
      render: ([status, { description, content = {} }]) => [
        status,
        renderMarkdown(description, address => address),
        Object.entries(content).map((one, index) => [index === 0 ? '' : ', ', renderContent(one)]),
      ],
    }),
  )
}
