import { expect, test } from 'vitest'
import { readConfig } from '../../../../pipeline/core/config.ts'
import { findSettingNotes } from '../../../../pipeline/core/settings/setting-notes.ts'

const mail = { SMTP_URL: 'smtp://127.0.0.1:25', MAIL_FROM: 'registry@registry.example' }
const provider = { OPENID_ISSUER: 'https://login.example', OPENID_CLIENT_ID: 'registry' }
const signIn = expect.stringMatching(/^nobody can sign in, /)
const tls = expect.stringMatching(/^BASE_URL begins with http:\/\/, /)
const key = expect.stringMatching(/^members cannot store credentials .*CREDENTIALS_KEY/)
const backups = expect.stringMatching(/^no backups are made: set BACKUP_TO/)
const proxies = expect.stringMatching(/^all clients share the rate limits .*TRUSTED_PROXIES/)
const license = expect.stringMatching(/^nobody knows whether they may use .*DATA_LICENSE/)
const rest = { TRUSTED_PROXIES: '127.0.0.1', DATA_LICENSE: 'CC-BY-4.0' }
const keyAndBackups = {
  CREDENTIALS_KEY: Buffer.alloc(32).toString('base64'),
  BACKUP_TO: '/srv/backups',
}
const all = { ...keyAndBackups, ...rest }

test.each<[settings: Record<string, string>, notes: unknown[]]>([
  [{}, []],
  [{ HOST: '0.0.0.0', BASE_URL: 'http://localhost:3000' }, []],
  [{ BASE_URL: 'https://registry.example' }, [signIn, key, backups, proxies, license]],
  [{ BASE_URL: 'https://registry.example', ...mail, ...rest }, [key, backups]],
  [{ BASE_URL: 'https://registry.example', ...mail, ...keyAndBackups }, [proxies, license]],
  [{ BASE_URL: 'https://registry.example', ...mail, ...all }, []],
  [{ BASE_URL: 'https://registry.example', ...provider, ...all }, []],
  [{ BASE_URL: 'http://registry.example', ...all }, [signIn, tls]],
  [{ BASE_URL: 'http://registry.example', ...mail }, [tls, key, backups, license]],
  [{ BASE_URL: 'http://registry.internal', ...mail }, []],
  [{ BASE_URL: 'http://10.0.0.1:3000', ...mail }, []],
])('settings %j leave people without what their notes say', (settings, notes) => {
  expect(findSettingNotes(readConfig(settings))).toEqual(notes)
})
