import { resolveBaseUrl } from '../base-url.ts'
import type { Config } from '../config.ts'
import { findMailPlace } from '../mail-place.ts'
import { canBePublic } from '../public-name.ts'

type NotedSettings = Pick<
  Config,
  | 'AUTH_ISSUER'
  | 'BACKUP_TO'
  | 'BASE_URL'
  | 'CREDENTIALS_KEY'
  | 'DATA_LICENSE'
  | 'HOST'
  | 'OPENID_ISSUER'
  | 'PORT'
  | 'SMTP_URL'
  | 'TRUSTED_PROXIES'
>

/** Finds what the settings of a registry leave people without, as sentences. It runs all the same. */
export function findSettingNotes(settings: NotedSettings): string[] {
  return [
    findNoSignIn(settings),
    ...(isPublic(settings)
      ? [
          findNoTls(settings),
          findNoCredentialsKey(settings),
          findNoBackups(settings),
          findNoProxies(settings),
          findNoLicense(settings),
        ]
      : []),
  ].filter(note => note !== undefined)
}

/** Finds that others reach the registry, and that it has no way to let them sign in. */
function findNoSignIn(settings: NotedSettings): string | undefined {
  const { OPENID_ISSUER, AUTH_ISSUER } = settings
  if (OPENID_ISSUER || AUTH_ISSUER || findMailPlace(settings, resolveBaseUrl(settings)))
    return undefined
  return 'nobody can sign in, since sign-in links cannot be emailed: set SMTP_URL and MAIL_FROM, or OPENID_ISSUER'
}

function isPublic({ BASE_URL }: NotedSettings): boolean {
  return BASE_URL !== undefined && canBePublic(new URL(BASE_URL).hostname)
}

function findNoCredentialsKey({ CREDENTIALS_KEY }: NotedSettings): string | undefined {
  if (CREDENTIALS_KEY !== undefined) return undefined
  return 'members cannot store credentials for tests of their agents: set CREDENTIALS_KEY (`openssl rand -base64 32`)'
}

function findNoBackups({ BACKUP_TO }: NotedSettings): string | undefined {
  if (BACKUP_TO !== undefined) return undefined
  return 'no backups are made: set BACKUP_TO, or run `registry backup` regularly'
}

/** Finds a registry behind TLS that it does not terminate itself: its callers have the address of the proxy. */
function findNoProxies({ BASE_URL = '', TRUSTED_PROXIES }: NotedSettings): string | undefined {
  if (!BASE_URL.startsWith('https:') || TRUSTED_PROXIES.length > 0) return undefined
  return 'all clients share the rate limits of the proxy in front of the API: set TRUSTED_PROXIES to its address'
}

function findNoLicense({ DATA_LICENSE }: NotedSettings): string | undefined {
  if (DATA_LICENSE !== undefined) return undefined
  return 'nobody knows whether they may use the published data: set DATA_LICENSE, such as CC-BY-4.0'
}

function findNoTls({ BASE_URL = '' }: NotedSettings): string | undefined {
  if (!BASE_URL.startsWith('http:')) return undefined
  return 'BASE_URL begins with http://, so sessions and keys travel unencrypted, and browsers offer no passkeys: serve it by https://'
}
