import { expect, test } from 'vitest'
import { resolvePaths } from '../../../pipeline/store/paths.ts'
import { findRenamedProtocol } from '../../../scripts/commands/renamed-protocol.ts'
import { createDataDir } from '../../support/registry/registry.ts'

test('a registry that starts under another protocol name says so, until that name is set', () => {
  const paths = resolvePaths(createDataDir())
  const begin = (name: string, isSet: boolean) => findRenamedProtocol(paths, name, { isSet })
  expect(begin('adcp', true)).toBeUndefined()
  expect(begin('adcp', true)).toBeUndefined()
  for (let starts = 0; starts < 2; starts++)
    expect(begin('proto', false)).toMatch(
      /^PROTOCOL_NAME is proto, and this registry ran with adcp before.+set PROTOCOL_NAME=proto for one start$/,
    )
  expect(begin('adcp', true)).toBeUndefined()
  expect(begin('other', true)).toContain('ran with adcp before')
  expect(begin('other', true)).toBeUndefined()
})
