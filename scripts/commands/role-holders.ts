import type { Role } from '../../pipeline/core/roles.ts'
import { listRoleHolders } from '../../pipeline/read/lookups/principals.ts'
import { warnOfAddress } from './accounts.ts'
import { readSettings } from './environment.ts'
import { readRecord } from './reading.ts'
import { performOrExit, unwrapOrExit } from './running.ts'

interface HolderOptions {
  key?: string
  user?: string
}

export async function grantRole(role: Role, options: HolderOptions): Promise<void> {
  await submitChange('role.grant', role, options)
  process.stdout.write(`Granted the role ${role}.\n`)
  if (options.user !== undefined) warnOfAddress(options.user)
}

export async function revokeRole(role: Role, whose: HolderOptions): Promise<void> {
  await submitChange('role.revoke', role, whose)
  process.stdout.write(`Revoked the role ${role}.\n`)
}

export async function listRoles({ json }: { json?: boolean }): Promise<void> {
  const holders = readRecord(listRoleHolders)
  if (json) return void process.stdout.write(`${JSON.stringify(holders)}\n`)
  for (const { holder, id, roles } of holders) {
    process.stdout.write(`${holder.padEnd(4)}  ${id}  ${roles.join(', ')}\n`)
  }
}

async function submitChange(
  op: 'role.grant' | 'role.revoke',
  role: Role,
  whose: HolderOptions,
): Promise<void> {
  const holders = [
    ...(whose.key === undefined ? [] : [{ holder: 'key', id: whose.key }]),
    ...(whose.user === undefined ? [] : [{ holder: 'user', id: whose.user }]),
  ]
  if (holders.length !== 1) unwrapOrExit({ refused: 'Give either --key or --user' })
  await performOrExit(readSettings(), { op, role, ...holders[0] })
}
