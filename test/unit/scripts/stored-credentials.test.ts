import { expect, test } from 'vitest'
import { encryptCredential } from '../../../pipeline/model/agent-credential.ts'
import { resolvePaths } from '../../../pipeline/store/paths.ts'
import { describeUnreadableCredentials } from '../../../scripts/commands/stored-credentials.ts'
import { createDataDir, openSequencer } from '../../support/registry/registry.ts'
import { testClock } from '../../support/worlds/clock.ts'

const KEY = Buffer.alloc(32, 7).toString('base64')
const OTHER = Buffer.alloc(32, 8).toString('base64')

test('another CREDENTIALS_KEY than that of the stored credentials is named, with what helps', async () => {
  const dataDir = createDataDir()
  const paths = resolvePaths(dataDir)
  expect(describeUnreadableCredentials(OTHER, paths)).toBeUndefined()
  const sequencer = await openSequencer({ dataDir, clock: testClock('2026-11-20T03:00Z') })
  const owner = { org_id: 'org_1', agent_url: 'https://ads.example/mcp' }
  const sealed = encryptCredential(KEY, { auth_type: 'bearer', auth_token: 'a long token' }, owner)
  sequencer.accounts.db.run(
    `insert into agent_credentials values ($org_id, $agent_url, 'bearer', $sealed, 0, 0)`,
    { ...owner, sealed },
  )
  await sequencer.close()
  expect(describeUnreadableCredentials(KEY, paths)).toBeUndefined()
  const rest =
    'so 1 stored credential of agents cannot be read: set the old key again, or follow docs/operate/keys.md.'
  expect(describeUnreadableCredentials(OTHER, paths)).toBe(
    `CREDENTIALS_KEY is another one than before, ${rest}`,
  )
  expect(describeUnreadableCredentials(undefined, paths)).toBe(
    `CREDENTIALS_KEY is not set, ${rest}`,
  )
})
