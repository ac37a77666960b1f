import { stringify } from 'yaml'
import type { z } from 'zod'
import { type DescribedExample, describeExample } from '../reference/describe-examples.ts'
import { guide } from '../reference/guide.ts'
import { type Json, toJsonSchema, toReference } from './json-schema.ts'
import { buildRequestContent, buildResponseContent } from './openapi-content.ts'
import type { DescribedOperation, OpenapiDocument, Parameter } from './openapi-document.ts'
import {
  buildHeaderReferences,
  buildParameterReferences,
  describeNotModified,
  headerComponents,
  listResponseHeaders,
} from './openapi-headers.ts'
import { describeRefusals } from './openapi-refusals.ts'
import { type Access, groupTexts, listPathParameters, type Operation } from './operation.ts'
import { describeWebhooks } from './webhook-descriptions.ts'

/** Writes a description as YAML. */
export function toYaml(openapi: OpenapiDocument): string {
  return stringify(openapi, { aliasDuplicateObjects: false })
}

/** Builds the OpenAPI 3.1 description of the operations. */
export function buildOpenapi(operations: readonly Operation[], baseUrl: string) {
  const components: Record<string, Json> = {}
  const paths: Record<string, Record<string, DescribedOperation>> = {}
  for (const operation of operations) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = {
      ...paths[path],
      [operation.method.toLowerCase()]: describe(operation, baseUrl, components),
    }
  }
  const webhooks = describeWebhooks(components)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Agentic Ad Registry',
      version: '1.0.0',
      description: `Brands, publishers and agents of the agentic advertising ecosystem.\n${guide}`,
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    tags: Object.entries(groupTexts).map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      schemas: Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1))),
      ...headerComponents,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'API key (`sk_…`) or access token (JWT)',
        },
        userToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'User token (JWT); API keys are not accepted',
        },
      },
    },
  }
}

/** Security requirements; the empty one allows callers without a credential. */
const security: Record<Access, Json[]> = {
  public: [],
  bearer: [{ bearer: [] }],
  optional: [{}, { bearer: [] }],
}

function describe(operation: Operation, baseUrl: string, components: Json): DescribedOperation {
  const { id, group, summary, description, deprecated, access, body } = operation
  const example = describeExample(operation, baseUrl)
  const parameters = [
    ...buildParameters(operation, components).map(parameter =>
      addParameterExample(parameter, example.parameters[parameter.name]),
    ),
    ...buildParameterReferences(operation),
  ]
  return {
    operationId: id,
    ...(group && { tags: [group] }),
    summary,
    ...(description && { description }),
    ...(deprecated && { deprecated }),
    security: operation.isForPeople ? [{ userToken: [] }] : security[access],
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: true,
        content: buildRequestContent(
          operation,
          toReference(body, 'input', components),
          example.body,
        ),
      },
    }),
    responses: buildResponses(operation, example, components),
    ...(example.samples.length > 0 && { 'x-codeSamples': example.samples }),
  }
}

function buildParameters({ path, query, params }: Operation, components: Json) {
  const inPath = listPathParameters(path)
  return [
    ...listSchemaMembers(params, components).map(member => ({
      ...member,
      in: 'path',
      required: true,
    })),
    ...listSchemaMembers(query, components).map(member => ({ ...member, in: 'query' })),
  ].filter(({ in: place, name }) => place === 'query' || inPath.includes(name))
}

function listSchemaMembers(schema: z.ZodType | undefined, components: Json) {
  if (schema === undefined) return []
  const { properties = {}, required = [] } = toJsonSchema(schema, 'input', components) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...member }]) => ({
    name,
    ...(required.includes(name) && { required: true }),
    ...(description !== undefined && { description }),
    schema: member,
  }))
}

function buildResponses(
  operation: Operation,
  { answers }: DescribedExample,
  components: Json,
): DescribedOperation['responses'] {
  const { reply } = operation
  const headers = buildHeaderReferences(listResponseHeaders(operation))
  return Object.fromEntries([
    ...Object.entries(reply).map(([status, body]) => [
      status,
      {
        description: 'success',
        ...headers,
        ...(body && { content: buildResponseContent(body, components, answers[Number(status)]) }),
      },
    ]),
    ...describeNotModified(operation),
    ...describeRefusals(operation, components),
  ])
}

/** Adds to a parameter its value in the example, typed as its schema has it. */
function addParameterExample(parameter: Parameter, value?: string): Parameter {
  if (value === undefined) return parameter
  const { type } = parameter.schema
  const isTyped = type === 'integer' || type === 'number' || type === 'boolean'
  return { ...parameter, example: isTyped ? JSON.parse(value) : value }
}
