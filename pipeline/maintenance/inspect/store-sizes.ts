import { statSync } from 'node:fs'
import type { Paths } from '../../store/paths.ts'

/** Stores whose size operators see. */
export const measuredStores = ['record', 'columnar', 'serving', 'snapshot'] as const
export type MeasuredStore = (typeof measuredStores)[number]

/** Measures the stores that exist, in bytes, each with the log beside it. */
export function measureStores(paths: Paths): Partial<Record<MeasuredStore, number>> {
  const files: Record<MeasuredStore, string[]> = {
    record: [paths.record, `${paths.record}-wal`],
    columnar: [paths.columnar, `${paths.columnar}.wal`],
    serving: [paths.servingFile],
    snapshot: [paths.registry],
  }
  const sizes: Partial<Record<MeasuredStore, number>> = {}
  for (const store of measuredStores) {
    const found = files[store].flatMap(file => statSync(file, { throwIfNoEntry: false }) ?? [])
    if (found.length > 0) sizes[store] = found.reduce((sum, { size }) => sum + size, 0)
  }
  return sizes
}
