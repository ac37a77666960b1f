import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Operation } from '../../../api/operation/operation.ts'
import { operations } from '../../../api/routes/index.ts'
import { publicErrors } from '../../../pipeline/core/errors.ts'
import { agentOperations } from '../../support/checks/agent-operations.ts'

const group = operations.filter(operation => operation.group === 'Agent Compliance')
const spell = ({ method, path }: Operation) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`
const known = new Map(group.map(operation => [spell(operation), operation]))

interface Schema {
  $ref?: string
  $defs?: Record<string, Schema>
  anyOf?: Schema[]
  oneOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  additionalProperties?: Schema | boolean
}

/** Lists the members of a schema by their paths; items of lists and records have the path of their list. */
function listMembers(schema: z.ZodType, io: 'input' | 'output'): Map<string, boolean> {
  const root = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Schema
  const members = new Map<string, boolean>()
  const collect = (given: Schema, at: string, depth = 0) => {
    const {
      properties = {},
      required = [],
      items,
      additionalProperties,
      anyOf,
      oneOf,
    } = given.$ref === undefined ? given : root.$defs![given.$ref.split('/').at(-1)!]!
    if (depth > 12) return
    for (const [name, member] of Object.entries(properties)) {
      const path = at === '' ? name : `${at}.${name}`
      members.set(path, required.includes(name))
      collect(member, path, depth + 1)
    }
    if (items) collect(items, at, depth + 1)
    if (typeof additionalProperties === 'object') collect(additionalProperties, at, depth + 1)
    for (const option of [...(anyOf ?? []), ...(oneOf ?? [])]) collect(option, at, depth + 1)
  }
  collect(root, '')
  return members
}

/** Reads a list of members, of which those with a question mark may be absent. */
function readList(text = ''): { path: string; isRequired: boolean }[] {
  return text
    .split(/\s+/)
    .filter(word => word !== '')
    .map(word => ({ path: word.replace('?', ''), isRequired: !word.endsWith('?') }))
}

function listInputFaults(schema: z.ZodType | undefined, text: string | undefined): string[] {
  const members = schema ? listMembers(schema, 'input') : new Map<string, boolean>()
  const expected = readList(text)
  const missing = expected.filter(({ path }) => !members.has(path)).map(({ path }) => path)
  const required = [...members].flatMap(([path, isRequired]) => (isRequired ? [path] : []))
  const stricter = required.filter(path =>
    expected.every(field => field.path !== path || !field.isRequired),
  )
  const laxer = expected
    .filter(({ path, isRequired }) => isRequired && members.get(path) === false)
    .map(({ path }) => path)
  return [
    ...missing.map(path => `${path} is not taken`),
    ...stricter.map(path => `${path} is required`),
    ...laxer.map(path => `${path} is not required`),
  ]
}

function listAnswerFaults(operation: Operation, text: string | undefined): string[] {
  const body = operation.reply[200]
  if (!(body instanceof z.ZodType)) return text === undefined ? [] : ['the answer is no JSON']
  const members = listMembers(body, 'output')
  return readList(text).flatMap(({ path, isRequired }) => {
    if (!members.has(path)) return [`${path} is not answered`]
    return isRequired && !members.get(path) ? [`${path} may be absent`] : []
  })
}

const refusals = { public: [], optional: [], bearer: [401] }

test.each(agentOperations)('$call: as clients of the public registry know it', row => {
  const operation = known.get(row.call)
  if (!operation) return expect.unreachable(`there is no operation ${row.call}`)
  const statuses = [
    ...Object.keys(operation.reply).map(Number),
    ...operation.errors.map(name => publicErrors[name].status),
    ...refusals[operation.access],
    500,
  ]
  expect({
    access: operation.access,
    query: listInputFaults(operation.query, row.query),
    body: listInputFaults(operation.body, row.body),
    answer: listAnswerFaults(operation, row.answer),
    missing: row.statuses.filter(status => !statuses.includes(status)),
  }).toEqual({ access: row.access, query: [], body: [], answer: [], missing: [] })
})

test('every operation of the group is compared, or is an addition', () => {
  const additions = [
    'GET /api/registry/agents/{encodedUrl}/storyboard/{storyboardId}/compare/{comparisonId}',
    'DELETE /api/registry/agents/{encodedUrl}/storyboard/{storyboardId}/compare/{comparisonId}',
    'DELETE /api/registry/agents/{encodedUrl}/connect',
    'GET /api/registry/agents/{encodedUrl}/badge/{role}/token',
    'POST /api/registry/badges/verify',
  ]
  const compared = agentOperations.map(({ call }) => call)
  expect([...known.keys()].sort()).toEqual([...compared, ...additions].sort())
})
