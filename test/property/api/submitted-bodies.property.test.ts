import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import type { z } from 'zod'
import { operations } from '../../../api/routes/index.ts'
import { drawValue } from '../../support/fixtures/arbitrary-values.ts'
import { answerAllPublic, openRegistry } from '../../support/registry/app.ts'
import { enrol } from '../../support/registry/members.ts'
import { openForAll } from '../../support/runner/open-for-all.ts'

const AGENT = 'https://agent.acme.example/mcp'

const registry = openForAll(() =>
  openRegistry({
    writer: { requestLive: answerAllPublic },

    settings: {
      BILLING_WEBHOOK_SECRET: 'that nobody here signs with',
      CREDENTIALS_KEY: Buffer.alloc(32, 1).toString('base64'),
    },
  }),
)
let key: string
beforeAll(async () => {
  key = await enrol(registry, {
    org: 'Acme',
    tier: 'company_leader',
    domains: ['acme.example'],
    agents: [{ url: AGENT }],
  })
})

const params: Readonly<Record<string, string>> = {
  domain: 'acme.example',
  encodedUrl: encodeURIComponent(AGENT),
}
const fill = (path: string) =>
  path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? randomUUID())

const writes = operations.flatMap(({ id, method, path, body, writes }) =>
  writes && body ? [[id, { method, path, body }] as const] : [],
)

it.each(writes)('whatever %s accepts the writer can read', async (_, { method, path, body }) => {
  await fc.assert(
    fc.asyncProperty(drawValue(body as z.ZodType), async payload => {
      const answer = await registry.send(method, fill(path), {
        key,
        headers: { 'content-type': 'application/json' },
        payload: JSON.stringify(payload ?? null),
      })
      expect(answer.statusCode).not.toBe(500)
      expect(registry.unreadable.splice(0)).toEqual([])
    }),
    { numRuns: 30 },
  )
})
