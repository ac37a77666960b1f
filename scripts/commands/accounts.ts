import { randomUUID } from 'node:crypto'
import { findOrganization } from '../../pipeline/accounts/organizations.ts'
import { getFirst } from '../../pipeline/core/present.ts'
import type { MembershipRole } from '../../pipeline/core/roles.ts'
import { toUserId } from '../../pipeline/core/user-id.ts'
import { findPerson } from '../../pipeline/read/lookups/people.ts'
import { listMemberships } from '../../pipeline/read/lookups/principals.ts'
import type { PrivateReader } from '../../pipeline/read/lookups/private-rows.ts'
import { readSettings } from './environment.ts'
import { readRecord } from './reading.ts'
import { performOrExit, submitOrApply, unwrapOrExit } from './running.ts'

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
export function requireOrganization(org: string): string {
  const org_id = readRecord(findIdOf(org))
  if (org_id === undefined) throw new Error(`There is no organization called ${org}`)
  return org_id
}

export async function renameOrganization({ org, name }: { org: string; name: string }) {
  const org_id = requireOrganization(org)
  await performOrExit(readSettings(), { op: 'organization.rename' as const, org_id, name })
  process.stdout.write(`${org} is now called ${name}.\n`)
}

const findIdOf =
  (name: string) =>
  ({ record }: PrivateReader) =>
    record && findOrganization(record, name)?.org_id

/** Adds a person, named by the subject of their tokens, to an organization. */
export async function addUser(
  subject: string,
  { org, role }: { org: string; role: MembershipRole },
): Promise<void> {
  const user_id = requirePerson(subject)
  // Afterwards everyone is known.
  const isKnown = isKnownPerson(subject)
  const operation = { op: 'membership.set' as const, org, user_id, role }
  await performOrExit(readSettings(), operation)
  process.stdout.write(`${subject} now has the role ${role} in ${org}.\n`)
  if (!warnOfAddress(subject, ', or invite them') && !isKnown) warnOfUnknown(subject)
}

/** Says that nobody has signed in here by this id. */
export function warnOfUnknown(subject: string): void {
  process.stderr.write(
    `Nobody known here has the ID ${subject}: check it. They have the role once they sign in.\n`,
  )
}

/** Says that an email address names nobody who signs in at this registry; tells whether it did. */
export function warnOfAddress(subject: string, instead = ''): boolean {
  if (!subject.includes('@') || readSettings().AUTH_ISSUER !== undefined) return false
  process.stderr.write(
    `${subject} counts as the subject of a token. Name people who sign in at this registry by the id that their Applications page shows${instead}.\n`,
  )
  return true
}

export async function removeUser(subject: string, { org }: { org: string }): Promise<void> {
  const operation = { op: 'membership.remove' as const, org, user_id: requirePerson(subject) }
  await performOrExit(readSettings(), operation)
  process.stdout.write(`${subject} no longer belongs to ${org}.\n`)
}

/** Tells whether a person has signed in here, or belongs to an organization. */
export function isKnownPerson(subject: string): boolean {
  const id = toUserId(subject) ?? subject
  return readRecord(
    reader => findPerson(reader, id) !== undefined || listMemberships(reader, id).length > 0,
  )
}

/** Returns the id of a person who is named by the subject of their tokens. */
export function requirePerson(subject: string): string {
  const id = toUserId(subject)
  return id ?? (unwrapOrExit({ refused: `${subject} is not a valid token subject` }).id as string)
}
