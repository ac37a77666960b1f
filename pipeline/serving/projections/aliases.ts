import type { RowProjection } from './projection.ts'

/** Projects the canonical record of an alias. */
export const aliasProjection: RowProjection = {
  store: 'index',
  tables: ['aliases'],
  changed: 'seq > $seq',
  slicedBy: 'alias_rid',
  from: 'aliases',
  async project({ index }, where, parameters) {
    const rows = await index.all<{ alias_rid: string; canonical_rid: string }>(
      `select alias_rid, canonical_rid from aliases where ${where}`,
      parameters,
    )
    return rows.map(({ alias_rid, canonical_rid }) => ({
      space: 'alias',
      key: alias_rid,
      value: Buffer.from(canonical_rid),
    }))
  },
}
