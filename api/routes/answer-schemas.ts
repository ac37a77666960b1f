import { z } from 'zod'
import { defineOperation } from '../operation/operation.ts'
import { replyOk, replyRefused } from '../responses/reply.ts'

const SCHEMA = 'application/schema+json'
const DIALECT = 'https://json-schema.org/draft/2020-12/schema'
const FOLDER = '/schemas/v3'

const declared = {
  method: 'GET',
  access: 'public',
  cache: 'document',
  worksWithoutStores: true,
} as const

const Listed = z.looseObject({
  schemas: z.record(z.string(), z.url()).describe('URLs of the schemas by name'),
})

export const listAnswerSchemas = defineOperation({
  ...declared,
  id: 'answerSchemas',
  path: `${FOLDER}/index.json`,
  summary: 'List the JSON Schemas of requests and responses',
  reply: { 200: Listed },
  errors: [],
  handle: ({ services }) => {
    const names = Object.keys(services.openapi().components.schemas).sort()
    const base = services.baseUrl() + FOLDER
    return replyOk({
      schemas: Object.fromEntries(names.map(name => [name, `${base}/${name}.json`])),
    })
  },
})

export const readAnswerSchema = defineOperation({
  ...declared,
  id: 'answerSchema',
  path: `${FOLDER}/:file`,
  summary: 'Get the JSON Schema of a request or response object',
  description:
    'Returns one component of the OpenAPI description as a standalone JSON Schema (draft 2020-12); each `$ref` points to another one.',
  params: z.object({ file: z.string().describe('Name of the schema, with `.json`') }),
  reply: { 200: { type: SCHEMA } },
  errors: ['not_found'],
  handle: ({ params: { file }, services }) => {
    const name = file.replace(/\.json$/, '')
    const { schemas } = services.openapi().components
    if (name === file || !Object.hasOwn(schemas, name)) {
      return replyRefused('not_found', `there is no schema "${file.slice(0, 100)}"`, {})
    }
    const text = JSON.stringify({
      $schema: DIALECT,
      $id: `${services.baseUrl()}${FOLDER}/${name}.json`,
      title: name,
      ...schemas[name],
    })
    const standalone = text.replace(/"#\/components\/schemas\/(\w+)"/g, '"$1.json"')
    return { ...replyOk(Buffer.from(standalone)), type: SCHEMA }
  },
})
