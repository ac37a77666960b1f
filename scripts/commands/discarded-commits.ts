import type { Restored } from '../../pipeline/maintenance/restore.ts'
import type { Revocation } from '../../pipeline/maintenance/restore-takedowns.ts'

/** Says which later commits the replaced stores had. */
export function describeDiscarded(seq: number, replaced: Restored['replaced']): string {
  if (replaced === undefined || (replaced.isSuccessor && replaced.last.seq <= seq)) return ''
  const { seq: last, committed_at: at } = replaced.last
  if (!replaced.isSuccessor)
    return `This folder had another history than the backup, up to commit ${last}. It was discarded.\n`
  const which = last === seq + 1 ? `Commit ${last} was` : `Commits ${seq + 1} to ${last} were`
  const when = at === null ? '' : `; the last one was made at ${at}`
  return `${which} discarded${when}.\n`
}

/** Says which access that was revoked since the backup is valid again, and by which commands it is revoked. */
export function describeRegained(replaced: Restored['replaced'], madeAt: string): string {
  if (replaced === undefined || (!replaced.isSuccessor && replaced.revocations.length === 0))
    return (
      'Keys, roles and memberships that were revoked after this backup are valid again. If the registry before can still be read, ' +
      `\`registry audit list --since ${madeAt}\` lists them there: revoke them before you start.\n`
    )
  const { revocations } = replaced
  if (revocations.length === 0) return ''
  const commands = [...new Set(revocations.map(toCommand))]
  return (
    'Access that was revoked after this backup is valid again. Before you start, revoke it with:\n' +
    `  ${commands.join('\n  ')}\n`
  )
}

function toCommand({ operation, content }: Revocation): string {
  const { key_id, role, holder, id, user_id, org, org_id } = content
  if (operation === 'key.revoke') return `registry key revoke ${key_id}`
  if (operation === 'role.revoke') return `registry role revoke ${role} --${holder} ${id}`
  return `registry org user remove ${user_id} --org '${org ?? org_id}'`
}
