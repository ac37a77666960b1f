import { listObstacles } from '../../pipeline/accounts/organization-deletion.ts'
import { findOrganization, listActiveKeys } from '../../pipeline/accounts/organizations.ts'
import { formatCount } from '../../pipeline/core/counts.ts'
import { listOrganizationMembers } from '../../pipeline/read/lookups/organizations.ts'
import { readSettings } from './environment.ts'
import { readRecord } from './reading.ts'
import { performOrExit } from './running.ts'
import { confirmOrExit } from './typed-confirmation.ts'

/** People, and keys, that are named. */
const NAMED_MAX = 10

/** Deletes an organization once that is confirmed by its name. */
export async function deleteOrganization({
  org,
  confirm,
}: {
  org: string
  confirm?: string
}): Promise<void> {
  const { org_id, name, isRefused, lost } = readLosses(org)
  if (!isRefused) {
    process.stderr.write(lost)
    await confirmOrExit(name, confirm)
  }
  await performOrExit(readSettings(), { op: 'organization.delete' as const, org_id })
  process.stdout.write(`Deleted the organization ${name}.\n`)
}

/** Reads what a deletion takes, in lines, and whether it is refused anyway. Throws where there is no such organization. */
function readLosses(org: string) {
  return readRecord(({ record }) => {
    const found = record && findOrganization(record, org)
    if (!record || !found) throw new Error(`There is no organization called ${org}`)
    const { org_id, name } = found
    const people = listOrganizationMembers({ record }, org_id)
    const keys = listActiveKeys(record, { org: org_id }) ?? []
    const lost =
      `These lose access to ${name}:\n` +
      listSome(
        people,
        ({ user_id, email, name, role }) => `${email ?? name ?? user_id} (${role})`,
      ) +
      listSome(keys, ({ key_id, label }) => `key ${key_id}${label && ` (${label})`}`)
    const isAlone = people.length + keys.length === 0
    const isRefused = listObstacles(record, found).length > 0
    return { org_id, name, isRefused, lost: isAlone ? `Nobody has access to ${name}.\n` : lost }
  })
}

/** Lists the first of some things, a line each, and counts the others. */
function listSome<Thing>(things: readonly Thing[], describe: (thing: Thing) => string): string {
  const more = things.length - NAMED_MAX
  const lines = things.slice(0, NAMED_MAX).map(describe)
  return [...lines, ...(more > 0 ? [`and ${formatCount(more)} more`] : [])]
    .map(line => `  ${line}\n`)
    .join('')
}
