import { toIso } from '../core/clock.ts'
import { PASSKEYS_MAX } from '../model/accounts/passkey.ts'
import type { Answer, OperationOf } from '../model/submission.ts'
import type { Sqlite } from '../store/sqlite.ts'
import type { OperationDefinitions } from './operation-definition.ts'
import type { AccountStamp } from './stamp.ts'

const UNKNOWN: Answer = { refused: 'you have no such passkey', error: 'not_found' }
const EXISTING = `public_key <> '' and user_id = $user_id`

/** Adds a passkey. An id that was ever registered, also by somebody else, is refused. */
function addPasskey(
  db: Sqlite,
  { op: _, ...given }: OperationOf<'passkey.add'>,
  { now, seq }: AccountStamp,
): Answer {
  const { user_id, credential_id } = given
  const known = db.one('select 1 from passkeys where credential_id = $credential_id', {
    credential_id,
  })
  if (known) return { refused: 'this passkey is registered already', error: 'conflict' }
  const held = db.all(`select 1 from passkeys where ${EXISTING}`, { user_id })
  if (held.length >= PASSKEYS_MAX) {
    return { refused: `a person has ${PASSKEYS_MAX} passkeys at most`, error: 'conflict' }
  }
  db.insert('passkeys', [{ ...given, created_at: toIso(now), used_at: null, seq }])
  return { done: { credential_id } }
}

/**
 * Records a sign-in. A counter that has not grown means that the passkey was copied, or that an answer is
 * sent a second time; only an authenticator that never counts stays at 0.
 */
function recordUse(
  db: Sqlite,
  { user_id, credential_id, counter }: OperationOf<'passkey.use'>,
  { now, seq }: AccountStamp,
): Answer {
  const known = db.one<{ counter: number }>(
    `select counter from passkeys
     where ${EXISTING} and credential_id = $credential_id`,
    { user_id, credential_id },
  )
  if (known === undefined) return UNKNOWN
  const counts = counter > 0 || known.counter > 0
  if (counts && counter <= known.counter) {
    return { refused: 'this passkey was used elsewhere: remove it', error: 'forbidden' }
  }
  db.run(
    `update passkeys set counter = $counter, used_at = $used_at, seq = $seq
     where user_id = $user_id and credential_id = $credential_id`,
    { user_id, credential_id, counter, used_at: toIso(now), seq },
  )
  return { done: { credential_id } }
}

function removePasskey(
  db: Sqlite,
  { user_id, credential_id }: OperationOf<'passkey.remove'>,
  { seq }: AccountStamp,
): Answer {
  const known = db.one(
    `select 1 from passkeys where ${EXISTING} and credential_id = $credential_id`,
    { user_id, credential_id },
  )
  if (!known) return UNKNOWN
  db.run(
    `update passkeys set public_key = '', seq = $seq where user_id = $user_id and credential_id = $credential_id`,
    { user_id, credential_id, seq },
  )
  return { done: { credential_id } }
}

export const passkeyDefinitions: OperationDefinitions<
  'passkey.add' | 'passkey.use' | 'passkey.remove'
> = {
  'passkey.add': {
    perform: addPasskey,
    irreversible: 'its person removes it in the dashboard',
  },
  'passkey.use': {
    perform: recordUse,
    irreversible: 'it only counts sign-ins',
  },
  'passkey.remove': {
    perform: removePasskey,
    irreversible: 'its person registers it again in the dashboard',
  },
}
