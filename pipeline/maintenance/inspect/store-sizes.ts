import { statfsSync, statSync } from 'node:fs'
import type { Paths } from '../../store/paths.ts'

/** Stores whose size operators see. */
export const measuredStores = ['record', 'columnar', 'serving', 'snapshot'] as const
export type MeasuredStore = (typeof measuredStores)[number]

/** Measures the stores that exist, in bytes. */
export function measureStores(paths: Paths): Partial<Record<MeasuredStore, number>> {
  const files: Record<MeasuredStore, string> = {
    record: paths.record,
    columnar: paths.columnar,
    serving: paths.servingFile,
    snapshot: paths.registry,
  }
  const sizes: Partial<Record<MeasuredStore, number>> = {}
  for (const store of measuredStores) {
    const found = statSync(files[store], { throwIfNoEntry: false })
    if (found) sizes[store] = found.size
  }
  return sizes
}

/** Returns the bytes that are free on the disk of the stores. */
export function readFreeDisk({ dir }: Paths): number {
  const { bavail, bsize } = statfsSync(dir)
  return bavail * bsize
}
