import { createHash, randomBytes, randomUUID } from 'node:crypto'
import {
  findOrganization,
  type ListedKey,
  listOrganizationKeys,
} from '../../pipeline/accounts/organizations.ts'
import { getFirst } from '../../pipeline/core/present.ts'
import type { KeyPermission, MembershipRole } from '../../pipeline/core/roles.ts'
import { toUserId } from '../../pipeline/core/user-id.ts'
import { KEY_PREFIX_CHARS } from '../../pipeline/model/identity.ts'
import type { PrivateReader } from '../../pipeline/read/lookups/private-rows.ts'
import { readSettings } from './environment.ts'
import { readRecord } from './reading.ts'
import { askOrOpen, performOrExit, submitOrApply, unwrapOrExit } from './running.ts'

interface OrganizationOptions {
  name: string
  /** Leaves an organization of this name as it is. */
  ifMissing?: boolean
}

export async function createOrganization({ name, ifMissing }: OrganizationOptions): Promise<void> {
  const operation = { op: 'organization.create' as const, org_id: randomUUID(), name }
  const answer = getFirst(await submitOrApply(readSettings(), [operation]))
  const known = ifMissing && 'refused' in answer ? readRecord(findIdOf(name)) : undefined
  process.stdout.write(`${known ?? unwrapOrExit(answer).org_id}\n`)
}

/** Finds the id of an organization by its name or id; throws where there is none. */
function requireOrganization(org: string): string {
  const org_id = readRecord(findIdOf(org))
  if (org_id === undefined) throw new Error(`There is no organization called ${org}`)
  return org_id
}

export async function renameOrganization({ org, name }: { org: string; name: string }) {
  const org_id = requireOrganization(org)
  await performOrExit(readSettings(), { op: 'organization.rename' as const, org_id, name })
  process.stdout.write(`${org} is now called ${name}.\n`)
}

export async function deleteOrganization({ org }: { org: string }): Promise<void> {
  const org_id = requireOrganization(org)
  await performOrExit(readSettings(), { op: 'organization.delete' as const, org_id })
  process.stdout.write(`Deleted the organization ${org}.\n`)
}

const findIdOf =
  (name: string) =>
  ({ record }: PrivateReader) =>
    record && findOrganization(record, name)?.org_id

interface KeyOptions {
  org: string
  label?: string
  /** Lets it manage the keys of its organization. */
  admin?: boolean
}

/**
 * Creates a key and prints its secret. The secret is made here, and only its hash and first characters leave this
 * process.
 */
export async function createKey({ org, label = '', admin }: KeyOptions): Promise<void> {
  const secret = `sk_${randomBytes(32).toString('base64url')}`
  const hash = createHash('sha256').update(secret).digest('hex')
  const permissions: KeyPermission[] = admin ? ['admin:*'] : []
  const prefix = secret.slice(0, KEY_PREFIX_CHARS)
  const key = { key_id: randomUUID(), org, label, permissions, hash, prefix }
  const operation = { op: 'key.create' as const, ...key }
  await performOrExit(readSettings(), operation)
  process.stdout.write(`${secret}\n`)
}

export async function listKeys({ org }: { org: string }): Promise<void> {
  for (const { key_id, created_at, created_by, label } of await listLiveKeys(org)) {
    const creator = created_by ?? 'operator'
    process.stdout.write(`${key_id}  created ${created_at} by ${creator}  ${label}\n`)
  }
}

export async function revokeKey(key_id: string, { org }: { org: string }): Promise<void> {
  const keys = await listLiveKeys(org)
  const isTheirs = keys.some(key => key.key_id === key_id)
  const operation = { op: 'key.revoke' as const, key_id }
  if (!isTheirs) unwrapOrExit({ refused: `${org} has no active key ${key_id}` })
  await performOrExit(readSettings(), operation)
  process.stdout.write(`Revoked the key ${key_id}.\n`)
}

/** Finds the keys of an organization that are not revoked; null where there is no such organization. */
function findLiveKeys(org: string): Promise<ListedKey[] | null> {
  return askOrOpen<ListedKey[] | null>(readSettings(), { ask: 'keys', org }, async ({ accounts }) =>
    listOrganizationKeys(accounts.db, org),
  )
}

/** Lists the same keys; throws where there is no such organization. */
async function listLiveKeys(org: string): Promise<ListedKey[]> {
  const keys = await findLiveKeys(org)
  if (keys === null) throw new Error(`There is no organization called ${org}`)
  return keys
}

/** Adds a person, named by the subject of their tokens, to an organization. */
export async function addUser(
  subject: string,
  { org, role }: { org: string; role: MembershipRole },
): Promise<void> {
  const user_id = requirePerson(subject)
  const operation = { op: 'membership.set' as const, org, user_id, role }
  await performOrExit(readSettings(), operation)
  process.stdout.write(`${subject} now has the role ${role} in ${org}.\n`)
}

export async function removeUser(subject: string, { org }: { org: string }): Promise<void> {
  const operation = { op: 'membership.remove' as const, org, user_id: requirePerson(subject) }
  await performOrExit(readSettings(), operation)
  process.stdout.write(`${subject} no longer belongs to ${org}.\n`)
}

function requirePerson(subject: string): string {
  const id = toUserId(subject)
  return id ?? (unwrapOrExit({ refused: `${subject} is not a valid token subject` }).id as string)
}
