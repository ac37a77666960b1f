import { listNamedOrganizations } from '../../pipeline/accounts/organization-list.ts'
import { formatTime } from '../../pipeline/core/clock.ts'
import { listOrganizationMembers } from '../../pipeline/read/lookups/organizations.ts'
import { requireOrganization } from './accounts.ts'
import { readRecord } from './reading.ts'
import { formatTable } from './text.ts'

/** Prints all organizations, each with how many people and keys act for it and with its domains. */
export function listOrganizations({ json = false }: { json?: boolean }): void {
  const organizations = readRecord(({ record }) => (record ? listNamedOrganizations(record) : []))
  if (json) return void process.stdout.write(`${JSON.stringify(organizations)}\n`)
  const lines = organizations.map(({ org_id, name, people, keys, domains }) => [
    org_id,
    name,
    String(people),
    String(keys),
    domains.join(', '),
  ])
  const table = formatTable([['ID', 'NAME', 'PEOPLE', 'KEYS', 'DOMAINS'], ...lines])
  process.stdout.write(lines.length === 0 ? 'There is no organization.\n' : `${table}\n`)
}

/** Prints the people of an organization, the oldest membership first. */
export function listUsers({ org, json = false }: { org: string; json?: boolean }): void {
  const org_id = requireOrganization(org)
  const people = readRecord(reader => listOrganizationMembers(reader, org_id))
  if (json) return void process.stdout.write(`${JSON.stringify(people)}\n`)
  const lines = people.map(({ user_id, email, name, role, joined_at }) => [
    user_id,
    email ?? name ?? '',
    role,
    formatTime(joined_at),
  ])
  const table = formatTable([['ID', 'PERSON', 'ROLE', 'SINCE'], ...lines])
  process.stdout.write(lines.length === 0 ? `${org} has no people.\n` : `${table}\n`)
}
