import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Operation } from '../../pipeline/model/submission.ts'
import { openAnotherApi, type TestRegistry } from '../support/registry/app.ts'
import { enrol } from '../support/registry/members.ts'
import { openForAll, openForEach } from '../support/runner/open-for-all.ts'
import { openIssuer, openWithIssuer } from '../support/servers/issuer.ts'

const AGENT = 'https://ads.acme.example/mcp'
const HOOK = 'https://hooks.acme.example/changes'

const issuer = openForAll(openIssuer)
const registry = openForEach(() => openWithIssuer(issuer))
let key: string
let acme: string

beforeEach(async () => {
  key = await enrol(registry, {
    org: 'Acme',
    domains: ['acme.example'],
    public: true,
    agents: [{ url: AGENT, visibility: 'private' }],
  })
  const { db } = registry.sequencer.accounts
  acme = db.oneOrThrow<{ org_id: string }>('select org_id from organizations').org_id
  await registry.createKey('Other')
  for (const [user_id, role] of [
    ['olga', 'owner'],
    ['adam', 'admin'],
    ['mia', 'member'],
  ] as const)
    await submit({ op: 'membership.set', org: 'Acme', user_id, role })
})
afterEach(async () => {
  expect(await registry.verify()).toEqual([])
  await registry.rebuild()
  expect(await registry.verify()).toEqual([])
})

async function submit(...operations: Operation[]): Promise<void> {
  for (const answer of await registry.submit(...operations))
    if ('refused' in answer) throw new Error(answer.refused)
}

async function ask(who: string, method: 'PATCH' | 'DELETE', payload?: object) {
  const headers = { authorization: `Bearer ${await issuer.token({ sub: who })}` }
  const url = `/api/organizations/${acme}`
  return registry.app.inject({ method, url, headers, ...(payload && { payload }) })
}
const rename = (who: string, name: string) => ask(who, 'PATCH', { name })
const remove = (who: string) => ask(who, 'DELETE')

async function read(url: string, credential?: string) {
  const headers = credential === undefined ? {} : { authorization: `Bearer ${credential}` }
  const answer = await registry.app.inject({ url: `/api/${url}`, headers })
  return { status: answer.statusCode, body: answer.json() }
}

/** Saves a brand twice for Acme, and once by nobody of it in between. */
async function saveBrand() {
  const editor = { kind: 'user', id: 'olga', org_id: acme } as const
  const save = { op: 'brand.save', domain: 'acme.example' as never, editor } as const
  for (const brand_name of ['First', 'Second'])
    await submit({ ...save, brand_name, revision_id: randomUUID() })
}

async function listEditors(): Promise<string[]> {
  const { body } = await read('brands/history?domain=acme.example')
  return body.revisions.map(({ editor_name }: { editor_name: string }) => editor_name)
}

/** Removes everything that others see or receive. */
const leaveNothing = () =>
  submit(
    { op: 'organization.domain.remove', org: 'Acme', domain: 'acme.example' as never },
    { op: 'member.agent.remove', org: 'Acme', url: AGENT },
  )

describe('a renamed organization', () => {
  test('has its new name everywhere at once, also with earlier edits', async () => {
    await saveBrand()
    const renamed = await rename('adam', ' Acme Media ')
    expect([renamed.statusCode, renamed.json()]).toEqual([200, { id: acme, name: 'Acme Media' }])
    expect(await listEditors()).toEqual(['Acme Media', 'Acme Media'])
    const { body } = await read('brands/acme.example/ownership')
    expect(body.owner).toEqual({ name: 'Acme Media' })
    const members = [...registry.reader.serving!.entries('member')].map(({ value }) => `${value}`)
    expect(members.join()).not.toContain('"Acme"')
  })

  test('keeps the name of a profile that its members have chosen', async () => {
    await submit({ op: 'member.update', org: 'Acme', display_name: 'Chosen' })
    await rename('olga', 'Acme Media')
    const { body } = await read('brands/acme.example/ownership')
    expect(body.owner).toEqual({ name: 'Chosen' })
  })

  test('cannot have the name of another one, and members and strangers cannot rename it', async () => {
    expect((await rename('olga', 'Other')).statusCode).toBe(409)
    expect((await rename('mia', 'Mine')).statusCode).toBe(403)
    expect((await rename('stranger', 'Mine')).statusCode).toBe(403)
    expect((await rename('olga', 'Acme')).statusCode).toBe(200)
  })
})

describe('an organization is deleted', () => {
  test('by an owner, once it has no domains, agents, webhooks and paid membership', async () => {
    await submit({ op: 'member.tier', org: 'Acme', tier: 'company_leader' }, {
      op: 'subscription.create',
      subscription_id: randomUUID(),
      org_id: acme,
      kind: 'changes',
      url: HOOK,
      event_types: [],
      domains: [],
      agents: [],
      cursor: randomUUID(),
      created_by: 'olga',
      most: 10,
    } as never)
    expect((await remove('adam')).statusCode).toBe(403)
    const refused = await remove('olga')
    expect(refused.statusCode).toBe(409)
    expect(refused.json().error).toBe(
      'Remove these first: its Leader membership, which the operator ends; 1 domain (acme.example); ' +
        `1 agent (${AGENT}); 1 webhook (${HOOK}).`,
    )
  })

  test('with its keys and people, at once and in every process', async () => {
    await saveBrand()
    await leaveNothing()
    const another = await openAnotherApi(registry)
    const useKey = async (app: TestRegistry['app']) => {
      const headers = { authorization: `Bearer ${key}` }
      return (await app.inject({ url: '/api/me/agents', headers })).statusCode
    }
    expect([await useKey(registry.app), await useKey(another.app)]).toEqual([200, 200])
    expect((await remove('olga')).statusCode).toBe(204)
    expect([await useKey(registry.app), await useKey(another.app)]).toEqual([401, 401])
    await another.close()
    const { body } = await read('me/organizations', await issuer.token({ sub: 'olga' }))
    expect(body.organizations).toEqual([])
    expect((await remove('olga')).statusCode).toBe(403)
    expect(await listEditors()).toEqual(['a deleted organization', 'a deleted organization'])
    const members = [...registry.reader.serving!.entries('member')].map(({ key }) => String(key))
    expect(members).not.toContain(acme)
  })

  test('and leaves its name, its slug and its mail domain to others', async () => {
    await submit({ op: 'membership.set', org: 'Acme', user_id: 'olga', role: 'owner' })
    await leaveNothing()
    await remove('olga')
    await submit(
      { op: 'organization.create', org_id: randomUUID(), name: 'Acme' },
      { op: 'member.create', org: 'Acme', slug: 'acme' },
    )
  })

  test('and its audit stays with the operator', async () => {
    await leaveNothing()
    await remove('olga')
    const { db } = registry.sequencer.accounts
    const rows = db.all(
      'select operation, by_id, content from submissions order by rowid desc limit 1',
    )
    expect(rows).toEqual([
      { operation: 'organization.delete', by_id: 'olga', content: { org_id: acme } },
    ])
  })
})
