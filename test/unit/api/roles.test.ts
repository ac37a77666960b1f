import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { findKeyHolder } from '../../../api/auth/principal.ts'
import type { Operation } from '../../../pipeline/model/submission.ts'
import { openRegistry } from '../../support/registry/app.ts'
import { openForAll } from '../../support/runner/open-for-all.ts'

const registry = openForAll(openRegistry)
let secret: string
let id: string

beforeAll(async () => {
  secret = await registry.createKey('Acme')
  id = findKeyHolder(registry.reader, secret)!.id
})

const rolesNow = () => findKeyHolder(registry.reader, secret)!.roles
const change = (op: 'role.grant' | 'role.revoke', role: 'moderator' | 'admin', whose = id) =>
  registry.submit({ op, role, holder: 'key', id: whose } satisfies Operation)

describe('roles', () => {
  test('a key has its granted roles until they are revoked', async () => {
    expect(rolesNow()).toEqual([])
    await change('role.grant', 'moderator')
    await change('role.grant', 'admin')
    await change('role.grant', 'admin')
    expect(rolesNow()).toEqual(['admin', 'moderator'])
    await change('role.revoke', 'admin')
    expect(rolesNow()).toEqual(['moderator'])
    await change('role.revoke', 'moderator')
    expect(rolesNow()).toEqual([])
    await change('role.grant', 'moderator')
    expect(rolesNow()).toEqual(['moderator'])
  })

  test('an unknown or revoked key gets none, and a role that is not held cannot be revoked', async () => {
    const unknown = randomUUID()
    expect(await change('role.grant', 'admin', unknown)).toEqual([
      { refused: `there is no active key ${unknown}`, error: 'not_found' },
    ])
    expect(await change('role.revoke', 'admin')).toEqual([
      { refused: `key ${id} does not have the role admin`, error: 'not_found' },
    ])
  })

  test('all stores agree on the holders of roles', async () => {
    await registry.submit({ op: 'role.grant', role: 'admin', holder: 'user', id: 'ada@sub|1' })
    expect(await registry.verify()).toEqual([])
    await registry.restart()
    expect(await registry.verify()).toEqual([])
  })
})
