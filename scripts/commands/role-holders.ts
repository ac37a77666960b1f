import type { Role } from '../../pipeline/core/roles.ts'
import { listRoleHolders } from '../../pipeline/read/lookups/principals.ts'
import { isKnownPerson, requirePerson, warnOfAddress, warnOfUnknown } from './accounts.ts'
import { readSettings } from './environment.ts'
import { readRecord } from './reading.ts'
import { performOrExit, unwrapOrExit } from './running.ts'
import { formatTable } from './text.ts'

interface HolderOptions {
  key?: string
  user?: string
}

export async function grantRole(role: Role, options: HolderOptions): Promise<void> {
  const { user } = options
  await submitChange('role.grant', role, options)
  process.stdout.write(`Granted the role ${role}.\n`)
  if (user !== undefined && !warnOfAddress(user) && !isKnownPerson(user)) warnOfUnknown(user)
}

export async function revokeRole(role: Role, whose: HolderOptions): Promise<void> {
  await submitChange('role.revoke', role, whose)
  process.stdout.write(`Revoked the role ${role}.\n`)
}

export async function listRoles({ json }: { json?: boolean }): Promise<void> {
  const holders = readRecord(listRoleHolders)
  if (json) return void process.stdout.write(`${JSON.stringify(holders)}\n`)
  const lines = holders.map(({ holder, id, roles }) => [holder, id, roles.join(', ')])
  const table = formatTable([['HOLDER', 'ID', 'ROLES'], ...lines])
  process.stdout.write(lines.length === 0 ? 'Nobody has a role.\n' : `${table}\n`)
}

async function submitChange(
  op: 'role.grant' | 'role.revoke',
  role: Role,
  whose: HolderOptions,
): Promise<void> {
  const holders = [
    ...(whose.key === undefined ? [] : [{ holder: 'key', id: whose.key }]),
    ...(whose.user === undefined ? [] : [{ holder: 'user', id: requirePerson(whose.user) }]),
  ]
  if (holders.length !== 1) unwrapOrExit({ refused: 'Give either --key or --user' })
  await performOrExit(readSettings(), { op, role, ...holders[0] })
}
