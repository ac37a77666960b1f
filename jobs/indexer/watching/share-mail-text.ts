import type { ShareMail } from '../../../pipeline/read/lookups/shared-domains.ts'
import { clip, formatTime, NAME_CHARS_MAX } from './mail-words.ts'

/** Writes the mail that tells an organization what another one did with its domain. */
export function writeShareMail(mail: ShareMail, base: string) {
  const by = clip(mail.by, NAME_CHARS_MAX)
  const own = clip(mail.org_name, NAME_CHARS_MAX)
  const at = `at ${new URL(base).host} on ${formatTime(mail.at)}`
  const names = { by, own, at, domains: `${base}/dashboard/org/${mail.org_id}/domains` }
  const { subject, parts } =
    mail.did === 'end' ? writeEnd(mail.domain, names) : writeShare(mail.domain, names)
  const reason = `You’re receiving this email because you’re an owner or admin of ${own}.`
  return { subject, text: [...parts, '-- ', reason].join('\n\n') }
}

type Names = Record<'by' | 'own' | 'at' | 'domains', string>

function writeShare(domain: string, { by, own, at, domains }: Names) {
  const parts = [
    `${by} verified ${domain} ${at}. It can now edit the files that ${own} hosts for this domain, and stop hosting them.`,
    `If you didn’t expect this, find out who can edit the site or the DNS of ${domain}, and take that access away from whoever should not have it. Then verify the domain again and choose “End other verifications”:`,
    domains,
  ]
  return { subject: `${by} also verified ${domain}`, parts }
}

function writeEnd(domain: string, { by, own, at, domains }: Names) {
  const parts = [
    `${by} verified ${domain} again, and ended the verification by ${own} ${at}. Files hosted for the domain stay online, but ${own} can no longer change them.`,
    `If you control ${domain}, you can verify it again with a new token:`,
    domains,
  ]
  return { subject: `${by} ended your verification of ${domain}`, parts }
}
