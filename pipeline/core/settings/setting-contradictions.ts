import { resolve } from 'node:path'
import { isLoopback } from '../loopback.ts'
import { isBucketAddress } from '../publish-target.ts'
import type { SettingFault } from './setting-faults.ts'

/** Settings that others depend on, as they were parsed; an invalid one is absent. */
interface DependentSettings {
  HOST?: string
  OPERATOR_HOST?: string
  OPERATOR_TOKEN?: string | undefined
  BASE_URL?: string | undefined
  TRUSTED_PROXIES?: readonly string[]
  CRAWL_SIGNING_KEY?: string | undefined
  AUTH_ISSUER?: string | undefined
  AUTH_JWKS_URL?: string | undefined
  AUTH_AUDIENCE?: string | undefined
  AUTH_CLIENT_ID?: string | undefined
  OPENID_ISSUER?: string | undefined
  OPENID_CLIENT_ID?: string | undefined
  ENRICHMENT_URL?: string | undefined
  ENRICHMENT_KEY?: string | undefined
  SMTP_URL?: string | undefined
  MAIL_FROM?: string | undefined
  AGENT_BASE_URL?: string | undefined
  DATA_DIR?: string
  PUBLISH_TO?: string | undefined
  BACKUP_TO?: string | undefined
  AGENT_LOOPBACK_WEBHOOKS?: boolean
}

/** Finds settings that need another one, or exclude it. */
export function findContradictions(
  settings: DependentSettings,
  { NODE_ENV }: Readonly<Record<string, string | undefined>>,
): SettingFault[] {
  const faults: SettingFault[] = []
  const refuse = (about: readonly (keyof DependentSettings)[], text: string) =>
    faults.push({ about, text })
  if (settings.CRAWL_SIGNING_KEY && !settings.BASE_URL)
    refuse(
      ['CRAWL_SIGNING_KEY'],
      'CRAWL_SIGNING_KEY requires BASE_URL, where sites find the public key.',
    )
  if (settings.AUTH_ISSUER && !settings.AUTH_JWKS_URL)
    refuse(['AUTH_ISSUER'], 'AUTH_ISSUER requires AUTH_JWKS_URL, where its keys are.')
  if (settings.AUTH_ISSUER && !settings.AUTH_AUDIENCE && !settings.AUTH_CLIENT_ID)
    refuse(
      ['AUTH_ISSUER'],
      'AUTH_ISSUER requires AUTH_AUDIENCE or AUTH_CLIENT_ID, or tokens for others would be accepted.',
    )
  if (settings.OPENID_ISSUER && !settings.OPENID_CLIENT_ID)
    refuse(
      ['OPENID_ISSUER'],
      'OPENID_ISSUER requires OPENID_CLIENT_ID, the id of the registry there.',
    )
  if (settings.OPENID_ISSUER && settings.AUTH_ISSUER)
    refuse(
      ['OPENID_ISSUER', 'AUTH_ISSUER'],
      'OPENID_ISSUER excludes AUTH_ISSUER: where its tokens are accepted, nobody signs in here.',
    )
  if (settings.ENRICHMENT_KEY && !settings.ENRICHMENT_URL)
    refuse(
      ['ENRICHMENT_KEY'],
      'ENRICHMENT_KEY requires ENRICHMENT_URL, the service that it is for.',
    )
  if (settings.SMTP_URL && !settings.MAIL_FROM)
    refuse(['SMTP_URL'], 'SMTP_URL requires MAIL_FROM, the sender of its mails.')
  if (isNested(settings.BACKUP_TO, settings.PUBLISH_TO))
    refuse(
      ['BACKUP_TO', 'PUBLISH_TO'],
      'BACKUP_TO and PUBLISH_TO must not be inside one another: backups are private.',
    )
  if (isNested(settings.BACKUP_TO, settings.DATA_DIR))
    refuse(
      ['BACKUP_TO', 'DATA_DIR'],
      'BACKUP_TO and DATA_DIR must not be inside one another: backups outlive DATA_DIR.',
    )
  if (!isThisMachine(settings.OPERATOR_HOST ?? 'localhost') && !settings.OPERATOR_TOKEN)
    refuse(
      ['OPERATOR_HOST'],
      'OPERATOR_HOST requires OPERATOR_TOKEN, as others reach the operator’s port.',
    )
  if (settings.AGENT_LOOPBACK_WEBHOOKS && isExposed(settings, { NODE_ENV }))
    refuse(
      ['AGENT_LOOPBACK_WEBHOOKS'],
      'AGENT_LOOPBACK_WEBHOOKS is for tests on one machine; here others reach the agent, or NODE_ENV is production.',
    )
  return faults
}

/** Tells if others than this machine use what is started, so that nothing in it may be for tests. */
export function isExposed(
  settings: DependentSettings,
  { NODE_ENV }: Readonly<Record<string, string | undefined>>,
): boolean {
  return isReachedByOthers(settings) || NODE_ENV === 'production'
}

/** Tells if callers of other machines may reach this one: by its address, a public one, or a proxy. */
function isReachedByOthers({
  HOST = '',
  BASE_URL,
  AGENT_BASE_URL,
  TRUSTED_PROXIES = [],
}: DependentSettings): boolean {
  const addresses = [BASE_URL, AGENT_BASE_URL].flatMap(url => (url ? [new URL(url).hostname] : []))
  return TRUSTED_PROXIES.length > 0 || ![HOST, ...addresses].every(isThisMachine)
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || isLoopback(host)
}

/** Tells if one place is the other, or inside it. */
function isNested(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return false
  const [a, b] = [toPrefix(one), toPrefix(other)]
  return a.startsWith(b) || b.startsWith(a)
}

function toPrefix(place: string): string {
  const path = isBucketAddress(place)
    ? place.replace(/\/+/g, '/').replace(/\/$/, '')
    : resolve(place)
  return path === '/' ? path : `${path}/`
}
