import { type Instant, toIso } from '../../core/clock.ts'
import type { Sqlite } from '../../store/sqlite.ts'

/** A mail that tells a person who manages an organization what another one did with its domain. */
export interface ShareMail {
  /** Id of the entry in the audit log that it tells about. */
  share_id: string
  /** `share` if the other one has verified the domain, too, `end` if it ended the verification of this one. */
  did: 'share' | 'end'
  user_id: string
  email: string
  domain: string
  /** Time at which it did. */
  at: string
  /** Name of that organization. */
  by: string
  org_id: string
  org_name: string
}

const MAILED = `from submissions t where t.operation = 'organization.domain.mail' and t.submitted_at > $since`

/** Mails that are listed at a time. */
const LISTED_MAX = 100

/** Lists the mails to owners and admins that were not sent yet, about what happened since an instant, the oldest first. */
export function listShareMails(record: Sqlite, since: Instant): ShareMail[] {
  return record.all<ShareMail>(
    `select s.submission_id as share_id, iif(s.operation like '%.end', 'end', 'share') as did, p.user_id, p.email, s.content ->> '$.domain' as domain,
       s.submitted_at as at, s.content ->> '$.name' as by, o.org_id, o.name as org_name
     from submissions s
     join organizations o on o.org_id = s.answer ->> '$.done.org_id'
     join memberships m on m.org_id = o.org_id and m.removed_at is null and m.role in ('owner', 'admin')
     join people p on p.user_id = m.user_id and p.email is not null and p.email_verified
     where s.operation in ('organization.domain.share', 'organization.domain.end') and s.submitted_at > $since
       and s.content ->> '$.domain' is not null
       and not exists (select 1 ${MAILED} and t.content ->> '$.share_id' = s.submission_id
         and t.content ->> '$.user_id' = p.user_id)
     order by s.submitted_at, s.submission_id, p.user_id limit ${LISTED_MAX}`,
    { since: toIso(since) },
  )
}

/** Counts the mails about shared domains that a person got since an instant. */
export function countShareMails(record: Sqlite, userId: string, since: Instant): number {
  return record.oneOrThrow<{ count: number }>(
    `select count(*) as count ${MAILED} and t.content ->> '$.user_id' = $userId`,
    { userId, since: toIso(since) },
  ).count
}
