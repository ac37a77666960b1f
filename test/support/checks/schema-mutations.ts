import { readSchema } from './schemas.ts'

/** A JSON Schema, as far as the schemas of the two files use it. */
interface Schema {
  $ref?: string
  type?: string
  enum?: string[]
  const?: string
  pattern?: string
  format?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  minProperties?: number
  maxProperties?: number
  additionalProperties?: boolean | Schema
  oneOf?: Schema[]
  anyOf?: { required: string[] }[]
}

/** A document that breaks one rule of the schema, and nothing else. */
export interface Mutation {
  /** Place of the value that breaks the rule, as faults name it; empty for the document itself. */
  field: string
  rule: string
  document: unknown
  /** Sound version of the document. */
  sound: unknown
}

type Wrap = (value: unknown) => unknown

/** Values of texts, by what their pattern or format allows. */
const samples: [RegExp, string][] = [
  [/hex|#\[0-9A-Fa-f\]/, '#123456'],
  [/\{4\}/, 'liga'],
  [/\\d\+:/, '16:9'],
  [/A-Z\]\{2\}/, 'GB'],
  [/\(\[a-z0-9-\]\*/, 'acme.example'],
  [/date-time/, '2026-01-31T09:00:00Z'],
  [/email/, 'ads@acme.example'],
  [/uri|https/, 'https://acme.example/x'],
]

/**
 * Lists the documents that break one rule of a public schema each: for every value that the schema describes, in
 * each of its forms, and every rule about that value.
 */
export function listSchemaMutations(file: string, adjust: Wrap = value => value): Mutation[] {
  const root = readSchema(file) as Schema
  const mutations: Mutation[] = []

  const resolve = (schema: Schema): Schema => {
    if (schema.$ref === undefined) return schema
    const [, name] = /^#\/definitions\/(.+)$/.exec(schema.$ref) ?? []
    const { definitions } = root as { definitions?: Record<string, Schema> }
    return resolve(
      name === undefined
        ? (readSchema(schema.$ref.replace(/^\/schemas\/[^/]+\//, '')) as Schema)
        : definitions![name]!,
    )
  }

  const build = (given: Schema): unknown => {
    const schema = resolve(given)
    if (schema.oneOf) return build(schema.oneOf[0]!)
    switch (schema.type) {
      case 'object':
        return buildObject(schema)
      case 'array':
        return Array.from({ length: Math.max(1, schema.minItems ?? 0) }, () => build(schema.items!))
      case 'boolean':
        return true
      case 'integer':
      case 'number':
        return schema.minimum ?? 1
      default:
        return buildText(schema)
    }
  }

  const buildObject = (schema: Schema): Record<string, unknown> => {
    const entries = Object.entries(schema.properties ?? {}).map(([key, value]) => [
      key,
      build(value),
    ])
    const map = schema.additionalProperties
    if (entries.length === 0 && typeof map === 'object') entries.push(['en', build(map)])
    return Object.fromEntries(entries)
  }

  const visit = (given: Schema, field: string, wrap: Wrap): void => {
    const schema = resolve(given)
    for (const form of schema.oneOf ?? []) visit(form, field, wrap)
    if (schema.oneOf) return
    const value = build(schema)
    const sound = adjust(wrap(value))
    const add = (rule: string, broken: unknown, at = field) =>
      mutations.push({ field: at, rule, document: adjust(wrap(broken)), sound })
    for (const [rule, broken] of listBrokenValues(schema, value)) add(rule, broken)
    if (schema.items) {
      const { items } = schema
      visit(items, `${field}[0]`, item => wrap([item, ...(value as unknown[]).slice(1)]))
    }
    if (schema.type !== 'object') return
    const object = value as Record<string, unknown>
    const join = (key: string) => (field === '' ? key : `${field}.${key}`)
    for (const key of schema.required ?? []) {
      const { [key]: _, ...rest } = object
      add(`required ${key}`, rest, join(key))
    }
    if (schema.additionalProperties === false)
      add('additionalProperties', { ...object, quite_unknown: 1 }, join('quite_unknown'))
    for (const [key, member] of Object.entries(schema.properties ?? {})) {
      visit(member, join(key), part => wrap({ ...object, [key]: part }))
    }
    if (typeof schema.additionalProperties === 'object' && schema.maxProperties === undefined) {
      visit(schema.additionalProperties, join('en'), part => wrap({ ...object, en: part }))
    }
  }

  for (const form of root.oneOf ?? [root]) visit(form, '', value => value)
  return mutations
}

function buildText({ enum: values, const: only, pattern = '', format = '', maxLength }: Schema) {
  const sample = samples.find(([known]) => known.test(pattern) || known.test(format))?.[1]
  const free = pattern === '' ? 'acme.example' : 'acme'
  return only ?? values?.[0] ?? sample ?? free.slice(0, maxLength)
}

/** Lists values that break one rule about a value itself, by the rule. */
function listBrokenValues(schema: Schema, value: unknown): [string, unknown][] {
  const broken: [string, unknown][] = [['type', schema.type === 'object' ? 'none' : {}]]
  const add = (rule: keyof Schema, other: unknown) => {
    if (schema[rule] !== undefined) broken.push([rule, other])
  }
  const text = String(value)
  add('enum', 'quite_another')
  add('const', 'quite_another')
  add('pattern', '~ ~')
  if (schema.pattern === '^https://') broken.push(['pattern', 'http://acme.example/x'])
  add('format', 'none of it')
  add('minLength', '')
  add('maxLength', text.padEnd((schema.maxLength ?? 0) + 1, text))
  add('minimum', (schema.minimum ?? 0) - 1)
  add('maximum', (schema.maximum ?? 0) + 1)
  const [item] = Array.isArray(value) ? value : []
  const repeat = (length: number) => Array.from({ length }, () => structuredClone(item))
  if (schema.minItems) add('minItems', repeat(schema.minItems - 1))
  add('maxItems', repeat((schema.maxItems ?? 0) + 1))
  if (schema.uniqueItems) add('uniqueItems', repeat(2))
  if (schema.type !== 'object') return broken
  const object = value as Record<string, unknown>
  add('minProperties', {})
  const [member] = Object.values(object)
  const many = Array.from({ length: (schema.maxProperties ?? 0) + 1 }, (_, i) => [`k${i}`, member])
  add('maxProperties', Object.fromEntries(many))
  const keys = new Set((schema.anyOf ?? []).flatMap(({ required }) => required))
  const rest = Object.entries(object).filter(([key]) => !keys.has(key))
  add('anyOf', Object.fromEntries(rest))
  return broken
}
