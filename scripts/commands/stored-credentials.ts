import { countThings } from '../../pipeline/core/counts.ts'
import { decryptCredential } from '../../pipeline/model/agent-credential.ts'
import type { Paths } from '../../pipeline/store/paths.ts'
import { openRecordReadOnly } from '../../pipeline/store/record.ts'
import { hasContent, readRecordFile } from '../../pipeline/store/record-file.ts'

interface StoredCredential {
  org_id: string
  agent_url: string
  sealed: string
}

/** Lists the credentials of agents that are stored, encrypted. */
export function listStoredCredentials(paths: Paths): StoredCredential[] {
  if (!hasContent(paths.record)) return []
  const record = readRecordFile(paths, openRecordReadOnly)
  try {
    return record.all<StoredCredential>(
      'select org_id, agent_url, sealed from agent_credentials where sealed is not null',
    )
  } finally {
    record.close()
  }
}

/** Tells of stored credentials that this key cannot decrypt; undefined where there are none. */
export function describeUnreadableCredentials(
  key: string | undefined,
  paths: Paths,
): string | undefined {
  const unreadable = listStoredCredentials(paths).filter(
    ({ sealed, ...owner }) =>
      key === undefined || decryptCredential(key, sealed, owner) === undefined,
  ).length
  if (unreadable === 0) return undefined
  const fault = key === undefined ? 'is not set' : 'is another one than before'
  return (
    `CREDENTIALS_KEY ${fault}, so ${countThings(unreadable, 'stored credential')} of agents cannot be read: ` +
    'set the old key again, or follow docs/operate/keys.md.'
  )
}
