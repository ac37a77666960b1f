import { toIso } from '../../core/clock.ts'
import type { Answer, OperationOf } from '../../model/submission.ts'
import type { Sqlite } from '../../store/sqlite.ts'
import type { OperationDefinitions } from '../operation-definition.ts'
import type { AccountStamp } from '../stamp.ts'
import { refuseOther } from './monitoring.ts'

/** Replaces the credential by which an agent is tested. */
function saveCredential(
  db: Sqlite,
  operation: OperationOf<'agent.credential.save'>,
  stamp: AccountStamp,
): Answer {
  const { agent_url, org_id, auth_type, sealed_secret: sealed } = operation
  const refusal = refuseOther(db, agent_url, org_id)
  if (refusal) return refusal
  replaceRow(db, { org_id, agent_url, auth_type, sealed }, stamp)
  return { done: { agent_url, org_id, auth_type } }
}

/** Deletes a credential; its row stays without a value. */
function removeCredential(
  db: Sqlite,
  { agent_url, org_id }: OperationOf<'agent.credential.remove'>,
  stamp: AccountStamp,
): Answer {
  const known = db.one<{ auth_type: string }>(
    `select auth_type from agent_credentials
     where org_id = $org_id and agent_url = $agent_url and sealed is not null`,
    { org_id, agent_url },
  )
  if (!known) return { refused: 'the registry has no credential of this agent', error: 'not_found' }
  replaceRow(db, { org_id, agent_url, auth_type: known.auth_type, sealed: null }, stamp)
  return { done: { agent_url, org_id } }
}

interface Credential {
  org_id: string
  agent_url: string
  auth_type: string
  sealed: string | null
}

function replaceRow(db: Sqlite, row: Credential, { now, seq }: AccountStamp): void {
  const { org_id, agent_url } = row
  db.run('delete from agent_credentials where org_id = $org_id and agent_url = $agent_url', {
    org_id,
    agent_url,
  })
  db.insert('agent_credentials', [{ ...row, saved_at: toIso(now), seq }])
}

/** Deletes the credential of an agent that its organization no longer enrols. */
export function forgetCredential(
  db: Sqlite,
  { org_id, agent_url }: Pick<Credential, 'org_id' | 'agent_url'>,
  { seq }: Pick<AccountStamp, 'seq'>,
): void {
  db.run(
    `update agent_credentials set sealed = null, seq = $seq
     where org_id = $org_id and agent_url = $agent_url and sealed is not null`,
    { org_id, agent_url, seq },
  )
}

export const credentialDefinitions: OperationDefinitions<
  'agent.credential.save' | 'agent.credential.remove'
> = {
  'agent.credential.save': {
    perform: saveCredential,
    requires: { membershipIn: ({ org_id }) => org_id },
    irreversible: 'the credential before it was deleted: save that one again',
  },
  'agent.credential.remove': {
    perform: removeCredential,
    requires: { membershipIn: ({ org_id }) => org_id },
    irreversible: 'the credential was deleted: save it again',
  },
}
