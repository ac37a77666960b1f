import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readConfig } from '../../../pipeline/core/config.ts'
import { encryptCredential } from '../../../pipeline/model/agent-credential.ts'
import { resolvePaths } from '../../../pipeline/store/paths.ts'
import { listMissingKeys } from '../../../scripts/commands/registry-key.ts'
import { findUnreadableCredentials } from '../../../scripts/commands/stored-credentials.ts'
import { createDataDir, openSequencer } from '../../support/registry/registry.ts'
import { testClock } from '../../support/worlds/clock.ts'

const KEY = Buffer.alloc(32, 7).toString('base64')
const OTHER = Buffer.alloc(32, 8).toString('base64')

test('another CREDENTIALS_KEY than that of the stored credentials is named, with what helps', async () => {
  const dataDir = createDataDir()
  const paths = resolvePaths(dataDir)
  expect(findUnreadableCredentials(OTHER, paths)).toBeUndefined()
  const sequencer = await openSequencer({ dataDir, clock: testClock('2026-11-20T03:00Z') })
  const owner = { org_id: 'org_1', agent_url: 'https://ads.example/mcp' }
  const sealed = encryptCredential(KEY, { auth_type: 'bearer', auth_token: 'a long token' }, owner)
  sequencer.accounts.db.run(
    `insert into agent_credentials values ($org_id, $agent_url, 'bearer', $sealed, 0, 0)`,
    { ...owner, sealed },
  )
  await sequencer.close()
  expect(findUnreadableCredentials(KEY, paths)).toBeUndefined()
  for (const key of [OTHER, undefined]) {
    expect(findUnreadableCredentials(key, paths)).toBe(
      '1 stored credential of agents cannot be read, because CREDENTIALS_KEY is missing or not the key that encrypted them: ' +
        'set the old key again, or follow docs/operate/keys.md',
    )
    const missing = listMissingKeys({ ...readConfig({}), CREDENTIALS_KEY: key }, paths)
    expect(missing.at(-1)).toContain(`CREDENTIALS_KEY (of a demo ${paths.demoCredentialsKey})`)
  }
  writeFileSync(paths.demoCredentialsKey, `${KEY}\n`)
  expect(listMissingKeys(readConfig({}), paths).join()).not.toContain('CREDENTIALS_KEY')
})
