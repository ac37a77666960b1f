import type { ShareMail } from '../../../pipeline/read/lookups/shared-domains.ts'
import { clip, formatTime, NAME_CHARS_MAX } from './mail-words.ts'

/** Writes the mail that tells an organization which other one has verified its domain. */
export function writeShareMail({ domain, at, by, org_id, org_name }: ShareMail, base: string) {
  const other = clip(by, NAME_CHARS_MAX)
  const own = clip(org_name, NAME_CHARS_MAX)
  const text = [
    `${other} verified ${domain} at ${new URL(base).host} on ${formatTime(at)}. It can now edit the files that ${own} hosts for this domain, and stop hosting them.`,
    `If you didn’t expect this, someone who isn’t in ${own} can edit the site or the DNS of ${domain}. Find out who, and take that access away: until then, they can verify it again.`,
    `Who has verified ${domain}, and its hosted files: ${base}/dashboard/org/${org_id}/entries?domain=${encodeURIComponent(domain)}`,
    '-- ',
    `You’re receiving this email because you’re an owner or admin of ${own}.`,
  ].join('\n\n')
  return { subject: `${other} also verified ${domain}`, text }
}
