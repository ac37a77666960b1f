import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { Accounts } from '../../../pipeline/accounts/store.ts'
import { toUserId } from '../../../pipeline/core/user-id.ts'
import {
  type Asker,
  Operation,
  type OperationOf,
  type Submission,
} from '../../../pipeline/model/submission.ts'
import { makeFolders, type Paths, resolvePaths } from '../../../pipeline/store/paths.ts'
import { cleanUp, createDataDir } from '../../support/registry/registry.ts'

const org_id = randomUUID()
const ann: Asker = { kind: 'user', id: 'ann', org_id }
const removed = { refused: 'you no longer belong to that organization', error: 'forbidden' }
const fallen = { refused: 'only a moderator may do that', error: 'forbidden' }

let accounts: Accounts
let paths: Paths
let seq = 0
const stamp = () => ({ now: Date.parse('2026-11-20T03:00Z'), seq: ++seq })

const asked = (operation: object, by?: Asker): Submission => ({
  submission_id: randomUUID(),
  operation: Operation.parse(operation),
  ...(by && { by }),
})
const saved = (by: Asker = ann) =>
  asked(
    {
      op: 'brand.save',
      revision_id: randomUUID(),
      domain: 'acme.example',
      brand_name: 'A',
      editor: { kind: by.kind, id: by.id, org_id: by.org_id ?? null },
    },
    by,
  )
const removal = () => asked({ op: 'membership.remove', org: 'Acme', user_id: 'ann' })
const joining = (role = 'owner', user_id = 'ann') =>
  asked({ op: 'membership.set', org: 'Acme', user_id, role })
const role = (op: 'role.grant' | 'role.revoke', held: Partial<OperationOf<'role.grant'>> = {}) =>
  asked({ op, holder: 'user', id: 'ann', role: 'moderator', ...held })
const unmirror = (by: Asker = ann) => asked({ op: 'mirror.remove', platform: 'p', force: true }, by)

/** Applies these in one commit and this order, and returns for each `done` or the refusal. */
function applyAll(...submissions: Submission[]): unknown[] {
  const { answers } = accounts.apply(submissions, stamp())
  return submissions.map(({ submission_id }) => {
    const answer = answers.get(submission_id)!
    return 'done' in answer ? 'done' : answer
  })
}

beforeEach(async () => {
  paths = resolvePaths(createDataDir())
  makeFolders(paths)
  accounts = Accounts.open(paths.record)
  cleanUp(() => accounts.close())
  applyAll(asked({ op: 'organization.create', org_id, name: 'Acme' }), joining())
})

describe('a person who was removed from an organization', () => {
  test('can no longer save anything for it: in the same commit, a later one, and after a restart', async () => {
    const waited = saved()
    expect(applyAll(saved(), removal(), saved())).toEqual(['done', 'done', removed])
    expect(applyAll(waited)).toEqual([removed])
    accounts.close()
    accounts = Accounts.open(paths.record)
    expect(applyAll(waited)).toEqual([removed])
  })

  test('gets a refusal that is not stored: another member may use the same submission id', () => {
    applyAll(joining('member', 'bob'))
    const waited = saved()
    expect(applyAll(removal(), waited)).toEqual(['done', removed])
    expect(applyAll({ ...waited, by: { kind: 'user', id: 'bob', org_id } })).toEqual(['done'])
  })

  test('can no longer invite owners once they are an admin, but still members', () => {
    const invite = (role: string) =>
      asked(
        {
          op: 'invitation.create',
          invitation_id: randomUUID(),
          org_id,
          role,
          email: `${role}@acme.example`,
          hash: '0'.repeat(64),
          expires_at: '2026-11-27T03:00:00Z',
          most: 10,
        },
        ann,
      )
    expect(applyAll(joining('admin'), invite('owner'), invite('member'))).toEqual([
      'done',
      { refused: 'your role in that organization does not allow it', error: 'forbidden' },
      'done',
    ])
  })

  test('can no longer remove owners once they are an admin, but still members', () => {
    const remove = (user_id: string) => asked({ op: 'membership.end', org_id, user_id }, ann)
    applyAll(joining('owner', 'bob'), joining('owner', 'cy'), joining('member', 'dee'))
    expect(applyAll(joining('admin'), remove('bob'), remove('dee'))).toEqual([
      'done',
      { refused: 'your role in that organization does not allow it', error: 'forbidden' },
      'done',
    ])
  })

  test('belongs to it again once added again', () => {
    expect(applyAll(removal(), joining('member'), saved())).toEqual(['done', 'done', 'done'])
  })

  test('may still found another one, and act for that', () => {
    const founded = randomUUID()
    const found = asked(
      {
        op: 'organization.found',
        org_id: founded,
        user_id: 'ann',
        name: 'Mine',
        is_personal: false,
        marketing_opt_in: false,
      },
      ann,
    )
    const save = saved({ ...ann, org_id: founded })
    expect(applyAll(removal(), found, save)).toEqual(['done', 'done', 'done'])
  })

  test('acts for the organization that an enrolment founds', () => {
    const agent = { op: 'member.agent.enrol', url: 'https://agent.example/mcp', type: 'sales' }
    const founding = { org_id: randomUUID(), user_id: 'eve', name: 'Eve', is_personal: true }
    const eve = { kind: 'user', id: 'eve' } as const
    const enrol = asked({ ...agent, founding }, eve)
    const more = asked({ op: 'member.agent.remove', org: founding.org_id, url: agent.url }, eve)
    expect(applyAll(enrol, more)).toEqual(['done', 'done'])
  })

  test('stays a member where the removal could not be stored', () => {
    accounts.db.exec(`create temp trigger full before insert on submissions
      begin select raise(abort, 'cut off'); end`)
    expect(() => applyAll(removal())).toThrow('cut off')
    accounts.db.exec('drop trigger full')
    expect(applyAll(saved())).toEqual(['done'])
  })
})

describe('a person who deleted their account', () => {
  const user_id = randomUUID()
  const dan: Asker = { kind: 'user', id: user_id }
  const gone = { refused: 'your account has been deleted', error: 'unauthenticated' }
  const named = { provider: 'email', subject: 'dan@acme.example', email: 'dan@acme.example' }
  const entry = () =>
    asked({ op: 'person.enter', user_id, ...named, email_verified: true, name: null })
  const deletion = () => asked({ op: 'person.delete', user_id }, dan)
  const founding = (name: string) => {
    const fields = { name, user_id, is_personal: false, marketing_opt_in: false }
    return asked({ op: 'organization.found', org_id: randomUUID(), ...fields }, dan)
  }
  const countMemberships = () =>
    accounts.db.all('select 1 from memberships where user_id = $user_id', { user_id }).length

  test('founds no organization: in the same commit, a later one, and after a restart', () => {
    const waited = founding('Late')
    expect(applyAll(entry(), deletion(), founding('Early'))).toEqual(['done', 'done', gone])
    expect(applyAll(waited)).toEqual([gone])
    accounts.close()
    accounts = Accounts.open(paths.record)
    expect(applyAll(waited)).toEqual([gone])
    expect(countMemberships()).toBe(0)
  })

  test('keeps it where an organization was founded first', () => {
    const refused = expect.objectContaining({ error: 'conflict' })
    expect(applyAll(entry(), founding('First'), deletion())).toEqual(['done', 'done', refused])
    expect(applyAll(founding('Second'))).toEqual(['done'])
    expect(countMemberships()).toBe(2)
  })
})

test('an owner who becomes an ordinary member can no longer create keys', () => {
  const hash = 'a'.repeat(64)
  const key = () =>
    asked({ op: 'key.create', key_id: randomUUID(), org: org_id, label: '', hash }, ann)
  const [before, , after] = applyAll(key(), joining('member'), key())
  expect([before, after]).toEqual(['done', expect.objectContaining({ error: 'forbidden' })])
  expect(applyAll(saved())).toEqual(['done'])
})

describe('a role that was revoked', () => {
  const gone = expect.objectContaining({ error: 'not_found' })

  test('refuses what waits for the writer', () => {
    expect(applyAll(role('role.grant'), unmirror())).toEqual(['done', gone])
    expect(applyAll(role('role.revoke'), unmirror())).toEqual(['done', fallen])
    expect(applyAll(unmirror())).toEqual([fallen])
  })

  test('matters only where the role is required', () => {
    const rollback = (moderates: boolean) =>
      asked(
        {
          op: 'entry.rollback',
          revision_id: randomUUID(),
          domain: 'acme.example',
          entity: 'brand',
          to_revision: 0,
          moderates,
          editor: { kind: 'user', id: 'ann', org_id },
        },
        ann,
      )
    applyAll(role('role.grant'), role('role.revoke'))
    expect(applyAll(rollback(true), rollback(false), saved())).toEqual([fallen, 'done', 'done'])
  })

  test('changes nothing for a holder of another sufficient role', () => {
    const admin = { role: 'admin' } as const
    applyAll(role('role.grant'), role('role.grant', admin))
    expect(applyAll(role('role.revoke'), unmirror())).toEqual(['done', gone])
    expect(applyAll(role('role.revoke', admin), unmirror())).toEqual(['done', fallen])
  })

  test('may belong to a person whose subject is an address, or to a key', () => {
    const subject = 'Ann@acme.example'
    const person: Asker = { kind: 'user', id: toUserId(subject)! }
    const key_id = randomUUID()
    const key: Asker = { kind: 'key', id: key_id, org_id }
    applyAll(asked({ op: 'key.create', key_id, org: 'Acme', label: '', hash: 'b'.repeat(64) }))
    const held = [{ id: subject }, { holder: 'key', id: key_id }] as const
    applyAll(...held.map(holder => role('role.grant', holder)))
    expect(applyAll(unmirror(person), unmirror(key))).toEqual([gone, gone])
    applyAll(...held.map(holder => role('role.revoke', holder)))
    expect(applyAll(unmirror(person), unmirror(key))).toEqual([fallen, fallen])
  })

  test('does not affect the command line', () => {
    expect(applyAll(unmirror({ kind: 'command', id: 'root' }))).toEqual([gone])
  })
})
