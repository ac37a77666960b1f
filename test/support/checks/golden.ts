import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'

const folder = join(import.meta.dirname, '../../golden')

/** Compares with a reviewed file; with `UPDATE_GOLDEN=1` the file is written, to be reviewed again. */
export function expectGolden(name: string, text: string): void {
  const path = join(folder, name)
  if (process.env.UPDATE_GOLDEN === '1') {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  expect(text).toBe(readFileSync(path, 'utf8'))
}
