import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../../../pipeline/core/project-root.ts'

test('a Node that is too old is named before anything is loaded that it could not read', () => {
  const older =
    'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })'
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      '--import',
      `data:text/javascript,${encodeURIComponent(older)}`,
      join(projectRoot, 'scripts/registry.ts'),
      '--version',
    ],
    { encoding: 'utf8' },
  )
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^the registry needs Node 24[\d.]* or newer; this is 20\.20\.2\n$/)
})
