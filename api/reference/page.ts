import type { Json } from '../json-schema.ts'
import type { openapiOf } from '../openapi.ts'
import { guide } from './guide.ts'
import { type Html, html, prose } from './html.ts'
import { style } from './style.ts'

type Description = ReturnType<typeof openapiOf>

interface Described {
  path: string
  method: string
  operationId: string
  tags?: string[]
  summary: string
  description?: string
  deprecated?: boolean
  security: object[]
  parameters?: {
    name: string
    in: string
    required?: boolean
    description?: string
    schema: Json
  }[]
  requestBody?: { content: Record<string, { schema: Json }> }
  responses: Record<string, { description: string; content?: Record<string, { schema: Json }> }>
}

const ELSEWHERE = 'Service'

/** The reference for people: the OpenAPI description as one page, with what holds for all before it. */
export function referencePage(description: Description): string {
  const { info, tags, components } = description
  const operations = operationsOf(description)
  const groups = [...tags.map(({ name }) => name), ELSEWHERE]
    .map(name => ({
      name,
      own: operations.filter(({ tags: [tag] = [ELSEWHERE] }) => tag === name),
    }))
    .filter(({ own }) => own.length > 0)
  const models = Object.entries(components.schemas) as [string, Json][]
  const base = description.servers[0]!.url
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title}: reference</title>
<style>${style}</style>
</head>
<body>
<div class="frame">
<nav aria-label="Contents">
<strong>Guide</strong>
<ul>${guide.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>
${groups.map(
  ({ name, own }) => html`<strong>${name}</strong>
<ul>${own.map(({ operationId, summary }) => html`<li><a href="#${operationId}">${summary}</a></li>`)}</ul>`,
)}
<strong><a href="#models">Models</a></strong>
</nav>
<main>
<h1>${info.title}</h1>
<p class="lead">${info.description} Version ${info.version}; the same as
<a href="/openapi/registry.yaml">OpenAPI 3.1</a>.</p>
${guide.map(({ id, title, text }) => html`<h2 id="${id}">${title}</h2>${text}`)}
${groups.map(({ name, own }) => html`<h2>${name}</h2>${own.map(one => section(one, base))}`)}
<h2 id="models">Models</h2>
${models.map(
  ([name, schema]) => html`<h3 id="model-${name}">${name}</h3>
${text(schema.description)}${fields(schema)}`,
)}
</main>
</div>
</body>
</html>
`.text
}

function operationsOf({ paths }: Description): Described[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      ...(described as Described),
      path,
      method,
    })),
  )
}

function section(operation: Described, base: string): Html {
  const { operationId, method, path, summary, description, deprecated, security } = operation
  const { parameters = [], requestBody, responses } = operation
  const body = requestBody?.content['application/json']?.schema
  return html`
<h3 id="${operationId}">${summary}</h3>
<code class="path"><span class="${method}">${method.toUpperCase()}</span> ${base}${path}</code>
${deprecated && html`<p class="note">Superseded; answered for as long as there are callers.</p>`}
${text(description)}
<p class="note">${accessOf(security)}</p>
${
  parameters.length > 0 &&
  html`<h4>Parameters</h4><table>${parameters.map(
    parameter => html`<tr>
<td><code>${parameter.name}</code></td><td>${typeOf(parameter.schema)}</td>
<td>${[parameter.required && 'required', parameter.in === 'path' && 'in the path'].filter(Boolean).join(', ')}
${parameter.description !== undefined && prose(parameter.description)}</td></tr>`,
  )}</table>`
}
${body && html`<h4>Body</h4>${fields(body)}`}
<h4>Answers</h4>
<table>${Object.entries(responses).map(
    ([status, response]) => html`<tr><td>${status}</td>
<td>${response.description}</td><td>${contentOf(response.content)}</td></tr>`,
  )}</table>`
}

function accessOf(security: readonly object[]): string {
  if (security.length === 0) return 'Open to everyone.'
  return security.some(one => Object.keys(one).length === 0)
    ? 'Open to everyone; a credential may show more.'
    : 'Needs a credential.'
}

function contentOf(content: Record<string, { schema: Json }> = {}): Html[] {
  return Object.entries(content).map(([type, { schema }]) =>
    type === 'application/json' ? typeOf(schema) : html`<code>${type}</code>`,
  )
}

function text(said: unknown): Html | undefined {
  return typeof said === 'string' ? html`<p>${prose(said)}</p>` : undefined
}

/** The members of an object as a table; anything else as its type. */
function fields(schema: Json): Html {
  const { properties, required = [] } = schema as {
    properties?: Record<string, Json>
    required?: string[]
  }
  if (properties === undefined) return html`<p>${typeOf(schema)}</p>`
  return html`<table>${Object.entries(properties).map(
    ([name, of]) => html`<tr>
<td><code>${name}</code></td><td>${typeOf(of)}</td>
<td>${!required.includes(name) && 'optional'} ${typeof of.description === 'string' && prose(of.description)}</td></tr>`,
  )}</table>`
}

interface Shape {
  $ref?: string
  anyOf?: Json[]
  oneOf?: Json[]
  type?: string
  items?: Json
  const?: unknown
  enum?: unknown[]
  properties?: Record<string, Json>
  minimum?: number
  maximum?: number
  default?: unknown
}

/** What a value may be, in one line; models are links. */
function typeOf(schema: Json): Html {
  const shape = schema as Shape
  if (shape.$ref !== undefined) {
    const name = shape.$ref.split('/').at(-1)!
    return html`<a href="#model-${name}">${name}</a>`
  }
  const choices = shape.anyOf ?? shape.oneOf
  if (choices) return joined(choices.map(typeOf))
  if (shape.enum) return joined(shape.enum.map(literal))
  if (shape.const !== undefined) return literal(shape.const)
  if (shape.type === 'array') return html`list of ${shape.items ? typeOf(shape.items) : 'anything'}`
  if (shape.properties) {
    const members = Object.entries(shape.properties)
    return joined(
      members.map(([name, of]) => html`<code>${name}</code>: ${typeOf(of)}`),
      ', ',
    )
  }
  return html`${shape.type ?? 'anything'}${boundsOf(shape)}`
}

function literal(value: unknown): Html {
  return html`<code>${JSON.stringify(value)}</code>`
}

/** Bounds that somebody chose, and what holds when nothing is said. */
function boundsOf({ minimum, maximum, default: usual }: Shape): string {
  const isChosen = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER
  return [
    isChosen ? ` from ${minimum ?? 0} to ${maximum}` : '',
    usual === undefined ? '' : `, otherwise ${JSON.stringify(usual)}`,
  ].join('')
}

function joined(parts: readonly Html[], by = ' or '): Html {
  return html`${parts.map((part, i) => (i === 0 ? part : html`${by}${part}`))}`
}
