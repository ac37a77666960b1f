import type { Role } from '../../pipeline/core/roles.ts'
import { StoredRoles } from '../../pipeline/model/role.ts'
import { readSettings } from './environment.ts'
import { readServing } from './reading.ts'
import { carryOut, unwrapOrExit } from './running.ts'

interface Whose {
  key?: string
  user?: string
}

export async function grantRole(role: Role, whose: Whose): Promise<void> {
  await ask('role.grant', role, whose)
  process.stdout.write('granted\n')
}

export async function revokeRole(role: Role, whose: Whose): Promise<void> {
  await ask('role.revoke', role, whose)
  process.stdout.write('revoked\n')
}

export async function listRoles({ json }: { json?: boolean }): Promise<void> {
  const holders = await listRoleHolders()
  if (json) return void process.stdout.write(`${JSON.stringify(holders)}\n`)
  for (const { holder, id, roles } of holders) {
    process.stdout.write(`${holder.padEnd(4)}  ${id}  ${roles.join(', ')}\n`)
  }
}

async function ask(op: 'role.grant' | 'role.revoke', role: Role, whose: Whose): Promise<void> {
  const holders = [
    ...(whose.key === undefined ? [] : [{ holder: 'key', id: whose.key }]),
    ...(whose.user === undefined ? [] : [{ holder: 'user', id: whose.user }]),
  ]
  if (holders.length !== 1) unwrapOrExit({ refused: 'name one of --key and --user' })
  const [answer] = await carryOut(readSettings(), [{ op, role, ...holders[0] }])
  unwrapOrExit(answer!)
}

async function listRoleHolders(): Promise<StoredRoles[]> {
  return readServing(serving =>
    [...(serving?.entries('role') ?? [])].map(({ value }) =>
      StoredRoles.parse(JSON.parse(value.toString())),
    ),
  )
}
