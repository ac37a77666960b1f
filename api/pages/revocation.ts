import { isUrl } from '../../pipeline/model/observation.ts'
import { findRevokingFile } from '../../pipeline/read/queries/revoking-files.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import { getSnapshot } from '../responses/lists.ts'
import { askIfReady } from './ask.ts'

/** Loads the domain whose file has revoked a publisher that authorizes nobody; undefined where none has. */
export function loadRevoker(reader: Reader, publisher: string): Promise<string | undefined> {
  return askIfReady(reader, async () => {
    const snapshot = getSnapshot(reader)
    const found = snapshot && (await findRevokingFile(snapshot, publisher, reader.now()))
    return found && (isUrl(found) ? new URL(found).hostname : found)
  })
}
