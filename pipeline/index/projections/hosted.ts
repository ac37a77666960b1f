import type { EntryRow } from '../../model/rows.ts'
import type { Contact } from '../../model/save.ts'
import { hostedAdagentsFile } from '../../resolve/hosted-adagents.ts'
import { hostedBrand } from '../../resolve/hosted-brand.ts'
import { contactsOf } from '../accounts/editors.ts'
import { storedOrigins } from '../accounts/origins.ts'
import type { Accounts } from '../accounts.ts'
import type { Database } from '../duckdb.ts'
import { type Entity, loadEntries } from '../entries.ts'
import { adagentsOf, toldOf } from '../hosted.ts'
import type { Scope } from '../scope.ts'
import type { Entry } from '../serving.ts'
import { hostedKey } from '../serving-keys.ts'
import { documentValue } from '../serving-value.ts'

/** The files that the registry serves for domains, made of what people told of them. */
export async function hostedFileEntries(
  index: Database,
  accounts: Accounts,
  scope: Scope,
): Promise<Entry[]> {
  const { brands, publishers, hosts, known, at } = scope
  const rows = known
    ? [
        ...(await loadEntries(index, 'brand', known.brands)).values(),
        ...(await loadEntries(index, 'property', known.hosts)).values(),
      ]
    : [
        ...(await entriesWithin(index, 'brand', brands, scope)),
        ...(await entriesWithin(index, 'property', hosts === '' ? '' : publishers, scope)),
      ]
  const ids = rows.flatMap(({ contact_id }) => contact_id ?? [])
  const contacts = await contactsOf(accounts.db, ids)
  return rows.map(row => {
    const kind = row.entity === 'brand' ? 'brand.json' : 'adagents.json'
    const file = fileOf(row, contacts.get(row.contact_id ?? ''))
    return {
      space: 'hosted',
      key: hostedKey(kind, row.domain),
      value: file && documentValue(file, at),
    }
  })
}

function entriesWithin(
  index: Database,
  entity: Entity,
  domains: string,
  { parameters, planning }: Scope,
): Promise<EntryRow[]> | EntryRow[] {
  if (domains === '') return []
  return index.all<EntryRow>(
    `select * from entries where entity = $entity and domain in ${domains}`,
    { ...parameters, entity },
    planning,
  )
}

function fileOf(entry: EntryRow, contact: Contact | undefined): object | undefined {
  if (entry.entity === 'brand') {
    return entry.status === 'live' ? hostedBrand(toldOf(entry)).file : undefined
  }
  return hostedAdagentsFile(adagentsOf(entry), contact)
}

/** How domains stand to their hosted files. */
export async function originEntries(
  accounts: Accounts,
  { origins, parameters }: Scope,
): Promise<Entry[]> {
  const rows = await storedOrigins(accounts.db, origins, parameters)
  return rows.map(origin => ({
    space: 'origin',
    key: origin.domain,
    value: Buffer.from(JSON.stringify(origin)),
  }))
}
