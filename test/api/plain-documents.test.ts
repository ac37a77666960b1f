import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { beforeAll, expect, test } from 'vitest'
import { DAY } from '../../pipeline/core/clock.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const registry = openForAll(openRegistry)
let ajv: Ajv2020

beforeAll(async () => {
  const { schemas } = (await registry.app.inject('/schemas/v3/index.json')).json()
  ajv = new Ajv2020({ strict: false, validateFormats: false })
  addFormats.default(ajv as never)
  for (const [name, address] of Object.entries<string>(schemas)) {
    const answer = await registry.app.inject(new URL(address).pathname)
    expect([name, answer.statusCode, answer.headers['content-type']]).toEqual([
      name,
      200,
      'application/schema+json',
    ])
    expect(answer.json()).toMatchObject({ $id: address, title: name })
    ajv.addSchema(answer.json())
  }
})

test('every schema is valid by itself, with what it refers to', async () => {
  const { schemas } = (await registry.app.inject('/schemas/v3/index.json')).json()
  expect(Object.keys(schemas).length).toBeGreaterThan(100)
  for (const address of Object.values<string>(schemas)) {
    expect(ajv.getSchema(address), address).toBeTypeOf('function')
  }
})

test('an answer is valid by its schema, and another object is not', async () => {
  const { schemas } = (await registry.app.inject('/schemas/v3/index.json')).json()
  const isValid = ajv.getSchema(schemas.RegistryStats)!
  const stats = (await registry.app.inject('/api/registry/stats')).json()
  expect([isValid(stats), isValid.errors]).toEqual([true, null])
  expect(isValid({ ...stats, total_brands: 'many' })).toBe(false)
})

test.each(['Nothing.json', 'RegistryStats', 'constructor.json', '__proto__.json'])(
  '404: there is no schema %s',
  async file => {
    const answer = await registry.app.inject(`/schemas/v3/${file}`)
    expect([answer.statusCode, answer.json().code]).toEqual([404, 'not_found'])
  },
)

test('security.txt names the contact of the operator, for half a year', async () => {
  const settings = { SECURITY_CONTACT: 'mailto:security@registry.example' }
  const own = await openRegistry({ settings })
  const answer = await own.app.inject('/.well-known/security.txt')
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([
    200,
    'text/plain; charset=utf-8',
  ])
  const fields = new Map(
    answer.body
      .trim()
      .split('\n')
      .map(line => line.split(': ', 2) as [string, string]),
  )
  expect(fields.get('Contact')).toBe(settings.SECURITY_CONTACT)
  const days = (Date.parse(fields.get('Expires')!) - own.clock.now()) / DAY
  expect(days).toBeGreaterThan(100)
  expect(days).toBeLessThan(365)
  await own.close()
})
