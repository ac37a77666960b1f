import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRegistry, type TestRegistry } from '../support/registry/app.ts'

const BYTES_MAX = 60_000

let registry: TestRegistry
let index: string

beforeAll(async () => {
  registry = await openRegistry()
  index = (await registry.app.inject('/docs')).body
})

afterAll(() => registry.close())

const listLinks = (html: string) =>
  [...html.matchAll(/href="(\/docs\/(?:operations|schemas)\/[^"#]+)"/g)].map(([, path]) => path!)

describe('the API reference', () => {
  test('begins with the lookups, and lists every operation of the OpenAPI document once', async () => {
    const { body } = await registry.app.inject('/openapi/registry.yaml')
    const ids = [...body.matchAll(/^ +operationId: (\w+)$/gm)].map(([, id]) => id)
    const listed = listLinks(index).map(path => path.replace('/docs/operations/', ''))
    expect(listed[0]).toBe('resolveBrand')
    expect([...listed].sort()).toEqual([...ids].sort())
  })

  test('has a small page for each operation and each object that these name, without a script', async () => {
    const waiting = listLinks(index)
    const visited = new Set(waiting)
    for (const path of waiting) {
      const { statusCode, body } = await registry.app.inject(path)
      expect([path, statusCode]).toEqual([path, 200])
      expect([path, Buffer.byteLength(body) < BYTES_MAX]).toEqual([path, true])
      expect(body).not.toContain('<script')
      for (const next of listLinks(body)) {
        if (!visited.has(next)) waiting.push(next)
        visited.add(next)
      }
    }
    expect(waiting.filter(path => path.startsWith('/docs/schemas/')).length).toBeGreaterThan(100)
    expect(Buffer.byteLength(index)).toBeLessThan(BYTES_MAX)
  })

  test('shows fields, an example and the answers of an operation', async () => {
    const { body } = await registry.app.inject('/docs/operations/resolveBrand')
    for (const text of [
      '<code>domain</code>',
      'required',
      'curl &#39;',
      '&#34;canonical_domain&#34;: &#34;acme.example&#34;',
      'href="/docs/schemas/BrandResolution"',
      'nothing is known under this name or id',
      'Open to everybody.',
    ])
      expect(body).toContain(text)
    const write = await registry.app.inject('/docs/operations/saveBrand')
    expect(write.body).toContain('Needs a key')
    expect(write.body).toContain('id="body"')
  })

  test('shows the members of nested objects and lists by their path', async () => {
    const { body } = await registry.app.inject('/docs/schemas/DomainLookup')
    expect(body).toContain('<code>domain</code>')
    expect(body).toContain('<code>authorized_agents[].url</code>')
  })

  test.each(['/docs/operations/nothing', '/docs/schemas/toString'])('404: %s', async path => {
    expect((await registry.app.inject(path)).statusCode).toBe(404)
  })
})
