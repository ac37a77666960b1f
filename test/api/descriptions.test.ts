import { expect, test } from 'vitest'
import { buildOpenapi } from '../../api/operation/openapi.ts'
import { operations } from '../../api/routes/index.ts'
import { needsNoun } from '../support/checks/vague-texts.ts'

type Json = Record<string, unknown>

/** The part of a description that these tests read. */
interface Description {
  paths: Record<string, Record<string, Json>>
  components: Record<'schemas' | 'headers' | 'parameters', Record<string, Json>>
}

const description: Description = JSON.parse(
  JSON.stringify(buildOpenapi(operations, 'https://registry.example')),
)
const { schemas, headers, parameters } = description.components

/** A parameter or a field, by where it stands, with the text that says what it means. */
interface Described {
  place: string
  name: string
  text: string | undefined
  isNumber?: boolean
}

/** Lists every field of a schema, however deep; components are listed separately. */
function* listFields(schema: unknown, place: string): Generator<Described> {
  if (typeof schema !== 'object' || schema === null) return
  if (Array.isArray(schema)) {
    for (const part of schema) yield* listFields(part, place)
    return
  }
  const { properties = {}, example: _, ...rest } = schema as Json
  for (const [name, field] of Object.entries(properties as Record<string, Json>)) {
    const types = [field, ...((field.anyOf as Json[] | undefined) ?? [])].map(part => part.type)
    const isNumber = types.some(type => type === 'integer' || type === 'number')
    yield { place: `${place}.${name}`, name, text: readText(field), isNumber }
    yield* listFields(field, `${place}.${name}`)
  }
  for (const part of Object.values(rest)) yield* listFields(part, place)
}

/** Reads the description of a field, or of the component that it refers to. */
function readText(field: Json): string | undefined {
  if (typeof field.description === 'string') return field.description
  const named = [field, ...((field.anyOf as Json[] | undefined) ?? [])].find(part => '$ref' in part)
  const component = schemas[String(named?.$ref).split('/').at(-1)!]
  return component?.description as string | undefined
}

function* listParameters(): Generator<Described> {
  for (const methods of Object.values(description.paths)) {
    for (const { operationId, parameters = [], requestBody, responses } of Object.values(methods)) {
      for (const parameter of parameters as { name: string; description?: string }[]) {
        if ('$ref' in parameter) continue
        const { name, description: text } = parameter
        yield { place: `${operationId}?${name}`, name, text }
      }
      yield* listFields(requestBody, `${operationId} body`)
      yield* listFields(responses, `${operationId} answer`)
    }
  }
}

const named = [schemas, headers, parameters].flatMap(part => Object.entries(part))
const components = named.map(([name, schema]) => ({
  place: name,
  name: '',
  text: schema.description as string | undefined,
}))
const fields = Object.entries(schemas).flatMap(([name, schema]) => [...listFields(schema, name)])
const described = [...components, ...fields, ...listParameters()]

const STOPWORDS = /^(a|an|the|of|its|it|is|this|that|all|each|these|by|at|in|on|to|for|and|or)$/

/** Tells whether a text says more than the words of a name. */
function extendsName(name: string, text: string): boolean {
  const toWords = (given: string) => given.toLowerCase().match(/[a-z0-9]+/g) ?? []
  const known = new Set(toWords(name.replace(/([a-z])([A-Z])/g, '$1_$2').replaceAll('_', ' ')))
  const said = toWords(text).filter(word => !STOPWORDS.test(word))
  return said.filter(word => !known.has(word) && !known.has(word.replace(/s$/, ''))).length > 1
}

test('every parameter, field and component is described', () => {
  expect(described.length).toBeGreaterThan(2_000)
  expect(described.filter(({ text }) => !text).map(({ place }) => place)).toEqual([])
})

test('a description is a sentence that says more than the name', () => {
  const poor = described.filter(
    ({ name, text = '' }) => !/^[A-Z0-9`“]/.test(text) || !extendsName(name, text),
  )
  expect(poor.map(({ place, text }) => `${place}: ${text}`)).toEqual([])
})

test('a description names what it is about, since a reader sees it alone', () => {
  const vague = described.filter(
    ({ text = '' }) => needsNoun(text) || /^The same(?! as `)/.test(text),
  )
  expect(vague.map(({ place, text }) => `${place}: ${text}`)).toEqual([])
})

test('the description of a number in an answer says what it counts or measures', () => {
  const MEASURE =
    /\b(?:number|size|time|hours|(?:milli)?seconds|duration|length|bytes|status|index|line|column|position|year|share|relevance|value|maximum|highest|always|same as)\b/i
  const vague = fields.filter(({ isNumber, text = '' }) => isNumber && !MEASURE.test(text))
  expect(vague.map(({ place, text }) => `${place}: ${text}`)).toEqual([])
})

test('a description of one sentence ends without a full stop, and one of several with it', () => {
  const odd = described.filter(({ text = '' }) => /[.!?] [A-Z`]/.test(text) !== text.endsWith('.'))
  expect(odd.map(({ place, text }) => `${place}: ${text}`)).toEqual([])
})

test('no two operations have the same title', () => {
  const titles = Object.values(description.paths)
    .flatMap(methods => Object.values(methods))
    .map(({ summary }) => summary as string)
  expect(titles.filter((title, at) => titles.indexOf(title) < at)).toEqual([])
})
