import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openForAll } from '../../support/runner/open-for-all.ts'
import {
  anyJson,
  type Payload,
  startReferenceAgent,
} from '../../support/servers/reference-agent.ts'
import { testClock } from '../../support/worlds/clock.ts'

const agent = openForAll(() => startReferenceAgent(testClock('2026-11-20T00:00Z')))

// The specification: INVALID_FORMAT_ID says that a format_id must be an object with agent_url and id. The
// answer was INVALID_REQUEST for idempotency_key.
test('a format id that is a text is named, whatever else is missing or wrong', async () => {
  const request = { target_format_id: 'display_300x250', brand: 7, context: 'x' }
  expect(await agent.fail('creative', 'build_creative', request)).toEqual({
    code: 'INVALID_FORMAT_ID',
    field: 'target_format_id',
  })
})

type Place = readonly (string | 0)[]

/** Lists the places of format ids in arguments, by the input schema of a task; 0 is an entry of a list. */
function listPlaces({ properties = {}, items }: Payload, place: Place = []): Place[] {
  const nested = items ? listPlaces(items, [...place, 0]) : []
  const named = Object.entries(properties as Payload).flatMap(([name, schema]): Place[] => {
    const at = [...place, name]
    if (/format_ids$/.test(name)) return [[...at, 0]]
    return /format_id$/.test(name) ? [at] : listPlaces(schema, at)
  })
  return [...nested, ...named]
}

/** Builds arguments with a value at a place, beside fields that may hold anything. */
function buildArguments([step, ...rest]: Place, value: unknown, others: Payload): unknown {
  if (step === undefined) return value
  const inner = buildArguments(rest, value, others)
  return step === 0 ? [inner] : { ...others, [step]: inner }
}

test('every task that takes a format id names one that is a text, beside any other faults', async () => {
  const tenants: Payload[] = (await agent.app.inject('/.well-known/adagents.json')).json().tenants
  const cases: { tenant: string; name: string; place: Place; keys: string[] }[] = []
  for (const { tenant } of tenants) {
    const { tools } = (await agent.post(tenant, { method: 'tools/list' })).json().result
    for (const { name, inputSchema } of tools) {
      const keys = Object.keys(inputSchema.properties ?? {})
      for (const place of listPlaces(inputSchema)) cases.push({ tenant, name, place, keys })
    }
  }
  const names = [...new Set(cases.map(({ name }) => name))].sort()
  expect(names).toEqual([
    'build_creative',
    'create_media_buy',
    'get_products',
    'list_creative_formats',
    'list_creatives',
    'preview_creative',
    'sync_creatives',
    'update_media_buy',
  ])
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...cases).chain(task => {
        const key = fc.constantFrom(...task.keys, 'context', 'idempotency_key')
        return fc.tuple(fc.constant(task), fc.dictionary(key, anyJson, { maxKeys: 4 }))
      }),
      fc.string(),
      async ([{ tenant, name, place }, others], text) => {
        const request = buildArguments(place, text, others) as object
        expect(await agent.fail(tenant, name, request)).toMatchObject({ code: 'INVALID_FORMAT_ID' })
      },
    ),
    { numRuns: 600 },
  )
})
