import { loadContacts } from '../../accounts/editors.ts'
import type { Accounts } from '../../accounts/store.ts'
import type { EntryRow } from '../../model/rows.ts'
import type { Contact } from '../../model/save.ts'
import { buildHostedAdagentsFile } from '../../resolve/hosted-adagents.ts'
import { buildHostedBrand } from '../../resolve/hosted-brand.ts'
import type { Database } from '../../store/database.ts'
import { loadEntries } from '../../store/entries.ts'
import { encodeDocument, toHistoryKey } from '../document-value.ts'
import { isShownEntry, normalizeEntryTime, toAdagents } from '../hosted-files.ts'
import { toHostedKey } from '../keys.ts'
import type { Entry } from '../lmdb.ts'
import type { Scope } from './scope.ts'

/** Projects entries: whether they are shown, and the files that the registry builds from them for their domains. */
export async function projectHostedEntries(
  index: Database,
  accounts: Accounts,
  scope: Scope,
): Promise<Entry[]> {
  const { brands, hosts, changedAt: at } = scope
  const rows = [
    ...(await loadEntries(index, 'brand', brands)).values(),
    ...(await loadEntries(index, 'property', hosts)).values(),
  ]
  if (rows.length === 0) return []
  const ids = rows.flatMap(({ contact_id }) => contact_id ?? [])
  const contacts = loadContacts(accounts.db, ids)
  return rows.flatMap((row): Entry[] => {
    const { entity, domain, status } = row
    const kind = entity === 'brand' ? 'brand.json' : 'adagents.json'
    const file = buildHostedFile(row, contacts.get(row.contact_id ?? ''))
    return [
      { space: 'entry', key: toHistoryKey(entity, domain), value: Buffer.from(status) },
      {
        space: 'hosted',
        key: toHostedKey(kind, domain),
        value: file && encodeDocument(file, at),
      },
    ]
  })
}

function buildHostedFile(entry: EntryRow, contact: Contact | undefined): object | undefined {
  if (entry.entity === 'brand') {
    return isShownEntry(entry) ? buildHostedBrand(normalizeEntryTime(entry)).file : undefined
  }
  return buildHostedAdagentsFile(toAdagents(entry), contact)
}
