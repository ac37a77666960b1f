import { cpSync, existsSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from '../../../pipeline/core/config.ts'
import { readSigningKey } from '../../../pipeline/core/keys/signing-key.ts'
import { makeFolders, resolvePaths } from '../../../pipeline/store/paths.ts'
import { signHead } from '../../../pipeline/transparency/tree-head.ts'
import {
  assertLogKey,
  assertLogOrigin,
  ensureLogKey,
  ensureRegistryKey,
  listMissingKeys,
} from '../../../scripts/commands/registry-key.ts'
import { createDataDir } from '../../support/registry/registry.ts'

function makeFolder({ hasLog }: { hasLog: boolean }) {
  const paths = resolvePaths(createDataDir())
  makeFolders(paths)
  if (hasLog) writeFileSync(paths.logHead, 'a head')
  return paths
}

const config = readConfig({})

describe('a registry whose log was begun', () => {
  test('does not start without the key of the log, and makes no other one', () => {
    const paths = makeFolder({ hasLog: true })
    expect(() => assertLogKey(config, paths)).toThrow(ConfigError)
    expect(() => assertLogKey(config, paths)).toThrow(`restore it as ${paths.logKey}`)
    expect(existsSync(paths.logKey)).toBe(false)
    expect(() => assertLogKey({ ...config, LOG_SIGNING_KEY: 'key.jwk' }, paths)).not.toThrow()
    ensureLogKey(paths)
    expect(() => assertLogKey(config, paths)).not.toThrow()
  })

  test('does not start with another key or name of the log than those that signed it', () => {
    const [paths, other] = [makeFolder({ hasLog: false }), makeFolder({ hasLog: false })]
    const { private: key } = readSigningKey(ensureLogKey(paths))
    const note = signHead(
      { size: 0, root: Buffer.alloc(32) },
      { origin: 'registry.example/log', key },
    )
    writeFileSync(paths.logHead, note)
    expect(() => assertLogKey(config, paths)).not.toThrow()
    expect(() => assertLogOrigin('registry.example/log', paths)).not.toThrow()
    expect(() => assertLogOrigin('other.example/log', paths)).toThrow(
      new ConfigError(
        'LOG_ORIGIN is other.example/log, and the event log of DATA_DIR is registry.example/log: set it to that, or unset it. ' +
          'docs/operate/keys.md says how to start a new log.',
      ),
    )
    const LOG_SIGNING_KEY = ensureLogKey(other)
    expect(() => assertLogKey({ LOG_SIGNING_KEY }, paths)).toThrow(
      `LOG_SIGNING_KEY names ${LOG_SIGNING_KEY}, which is not the key that signed the event log: restore that key.`,
    )
    // A damaged head is no wrong setting: the registry goes on, and says that it signs nothing.
    writeFileSync(paths.logHead, note.replace('0', '1'))
    expect(() => assertLogKey(config, paths)).not.toThrow()
    cpSync(LOG_SIGNING_KEY, paths.logKey)
    expect(() => assertLogKey(config, paths)).toThrow(`${paths.logKey} is not the key that signed`)
  })

  test('lists the keys that are missing after a restore, until they are there', () => {
    const paths = makeFolder({ hasLog: true })
    expect(listMissingKeys(config, paths)).toEqual([
      expect.stringContaining(paths.logKey),
      expect.stringContaining(paths.registryKey),
    ])
    ensureLogKey(paths)
    ensureRegistryKey(paths, () => {})
    expect(listMissingKeys(config, paths)).toEqual([])
  })
})

test('a new registry gets keys without being asked', () => {
  const paths = makeFolder({ hasLog: false })
  expect(() => assertLogKey(config, paths)).not.toThrow()
  expect(listMissingKeys(config, paths).join()).not.toContain('LOG_SIGNING_KEY')
})

test.each([
  ['a registry that was written before says that its key is missing, once', true, 1],
  ['a new registry gets its key in silence', false, 0],
])('%s', (_, isWritten, count) => {
  const paths = makeFolder({ hasLog: false })
  if (isWritten) writeFileSync(paths.record, '')
  const lines: string[] = []
  const ensure = () => ensureRegistryKey(paths, line => lines.push(line))
  expect(ensure()).toBe(ensure())
  expect(lines).toEqual(
    Array(count).fill(expect.stringContaining(`${paths.registryKey} was missing`)),
  )
})
