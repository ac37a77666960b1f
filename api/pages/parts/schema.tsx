import { type Json, KNOWN_VALUES } from '../../operation/json-schema.ts'
import { type Child, Fragment, type Html, h } from '../html/jsx.ts'
import { renderMarkdown } from '../html/markdown.ts'
import { renderTable } from './blocks.tsx'

const COMPONENT = '#/components/schemas/'
/** Members of members that are shown; what lies deeper is in the OpenAPI document. */
const DEPTH_MAX = 3

/** Builds the path of the page of a schema. */
export function toSchemaPath(name: string): string {
  return `/docs/schemas/${encodeURIComponent(name)}`
}

interface Field {
  name: string
  type: Child
  isRequired: boolean
  description: string
}

/** Renders the members of an object, those of nested objects by their path; another schema by its type. */
export function renderSchema(schema: Json, caption: string): Html {
  const fields = listFields(schema)
  if (fields.length === 0) return <p>{describeType(schema)}</p>
  return renderFields(fields, caption)
}

/** Renders fields with their type and meaning. */
export function renderFields(fields: readonly Field[], caption: string): Html {
  return renderTable({
    caption,
    columns: ['Field', 'Type', 'Description'],
    items: fields,
    limit: 400,
    bytes: 40_000,
    empty: 'None.',
    render: ({ name, type, isRequired, description }) => [
      <>
        <code>{name}</code>
        {isRequired ? <span class="required"> required</span> : ''}
      </>,
      type,
      renderMarkdown(description, address => address),
    ],
  })
}

function listFields(schema: Json, prefix = '', depth = 0): Field[] {
  const { properties = {}, required = [], items } = schema as Schema
  if (items !== undefined) return listFields(items, `${prefix}[]`, depth)
  return Object.entries(properties).flatMap(([member, value]) => {
    const name = prefix === '' ? member : `${prefix}.${member}`
    const field = {
      name,
      type: describeType(value),
      isRequired: required.includes(member),
      description: String(value.description ?? ''),
    }
    return [field, ...(depth + 1 < DEPTH_MAX ? listFields(value, name, depth + 1) : [])]
  })
}

interface Schema {
  $ref?: string
  type?: string | string[]
  const?: unknown
  default?: unknown
  properties?: Record<string, Json>
  required?: string[]
  items?: Json
  anyOf?: Json[]
  oneOf?: Json[]
  allOf?: Json[]
}

/** Describes the type of a value: the schema that it follows, its allowed values, or a word. */
export function describeType(schema: Json): Child {
  const { $ref, type, const: only, items, anyOf, oneOf, allOf } = schema as Schema
  const values = schema.enum ?? schema[KNOWN_VALUES]
  if ($ref !== undefined) return renderReference($ref)
  if (only !== undefined) return <code>{JSON.stringify(only)}</code>
  if (Array.isArray(values)) return joinTypes(values.map(value => <code>{String(value)}</code>))
  const choices = anyOf ?? oneOf ?? allOf
  if (choices !== undefined) return joinTypes([...new Set(choices.map(describeType))])
  if (items !== undefined) return <>list of {describeItems(items)}</>
  return [type ?? 'any'].flat().join(' or ')
}

/** Describes the items of a list; a word in the plural. */
function describeItems(schema: Json): Child {
  const type = describeType(schema)
  return typeof type === 'string' && type !== 'any' ? `${type}s` : type
}

function renderReference(reference: string): Html {
  const name = reference.slice(COMPONENT.length)
  return <a href={toSchemaPath(name)}>{name}</a>
}

function joinTypes(types: readonly Child[]): Html {
  return <>{types.map((type, index) => (index === 0 ? type : [' or ', type]))}</>
}
