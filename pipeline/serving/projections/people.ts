import { loadClients, loadPeople } from '../../accounts/people.ts'
import { toJsonValue } from '../document-value.ts'
import type { RowProjection } from './projection.ts'

/** Persons who have signed in, by the subject of their tokens. */
export const personProjection: RowProjection = {
  store: 'accounts',
  tables: ['people'],
  changed: 'seq > $seq',
  slicedBy: 'user_id',
  from: 'people',
  async project({ accounts }, where, parameters) {
    const rows = await loadPeople(accounts.db, where, parameters)
    return rows.map(row => ({ space: 'person', key: row.user_id, value: toJsonValue(row) }))
  },
}

/** Applications that have registered, by their id. */
export const clientProjection: RowProjection = {
  store: 'accounts',
  tables: ['oauth_clients'],
  changed: 'seq > $seq',
  slicedBy: 'client_id',
  from: 'oauth_clients',
  async project({ accounts }, where, parameters) {
    const rows = await loadClients(accounts.db, where, parameters)
    return rows.map(row => ({ space: 'oauth_client', key: row.client_id, value: toJsonValue(row) }))
  },
}
