import type { CodeSample } from '../reference/code-samples.ts'
import type { Json } from './json-schema.ts'

/** An operation as the OpenAPI document describes it. */
export interface DescribedOperation {
  operationId: string
  tags?: string[]
  summary: string
  description?: string
  deprecated?: true
  security: Json[]
  parameters?: (Parameter | Reference)[]
  requestBody?: { required: boolean; content: Record<string, Content> }
  responses: Record<
    string,
    { description: string; content?: Record<string, Content>; headers?: Record<string, Reference> }
  >
  'x-codeSamples'?: CodeSample[]
}

export interface Reference {
  $ref: string
}

export interface Parameter {
  name: string
  in: string
  required?: boolean
  description?: unknown
  schema: Json
  example?: unknown
}

export interface Content {
  schema: Json
  'x-item-schema'?: Json
  example?: unknown
}

/** OpenAPI description of the API, as far as pages show it. */
export interface OpenapiDocument {
  info: { title: string; version: string; description: string }
  tags: { name: string; description: string }[]
  /** Operations by path and method. */
  paths: Record<string, Record<string, DescribedOperation>>
  components: {
    schemas: Record<string, Json>
    headers: Record<string, { description: string; schema: Json }>
    parameters: Record<string, Parameter>
  }
}
