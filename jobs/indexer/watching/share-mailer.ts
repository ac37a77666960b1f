import { DAY, MINUTE } from '../../../pipeline/core/clock.ts'
import { deriveId } from '../../../pipeline/core/uuid-v7.ts'
import {
  countShareMails,
  listShareMails,
  type ShareMail,
} from '../../../pipeline/read/lookups/shared-domains.ts'
import { RecentAttempts } from '../recent-attempts.ts'
import { writeShareMail } from './share-mail-text.ts'
import type { WatchMailerParts } from './watch-mailer.ts'

/** Time in which a mail is sent or given up. */
const SENT_WITHIN_MS = DAY
/** Time before a person whose mail was not taken is tried again. */
const RETRY_MS = 10 * MINUTE

const SHARING = { kind: 'registry', id: 'watching' } as const

/**
 * Mails the owners and admins of an organization what another one did with its domain: verified it too, or ended its
 * verification. A mail is recorded once it is sent: a crash in between sends it twice rather than never.
 */
export class ShareMailer {
  readonly #parts: Omit<WatchMailerParts, 'keys'>
  readonly #waiting: RecentAttempts<string>

  constructor(parts: Omit<WatchMailerParts, 'keys'>) {
    this.#parts = parts
    this.#waiting = new RecentAttempts(parts.clock, RETRY_MS)
  }

  /** Sends the mails that are due; returns how many were sent. */
  async look(): Promise<number> {
    const { sequencer, clock, limits } = this.#parts
    const { db } = sequencer.accounts
    const since = clock.now() - SENT_WITHIN_MS
    let sent = 0
    for (const mail of listShareMails(db, since)) {
      if (this.#waiting.list().includes(mail.user_id)) continue
      if (countShareMails(db, mail.user_id, since) >= limits.watchMailsPerDay) continue
      if (await this.#send(mail)) sent++
    }
    return sent
  }

  /** Sends a mail; true once the mail server took it. One that it will never take is given up. */
  async #send(mail: ShareMail): Promise<boolean> {
    const { send, writer, base, log } = this.#parts
    const { share_id, user_id, email: to } = mail
    const answer = await send({ kind: 'send_mail', to, ...writeShareMail(mail, base) })
    if ('failed' in answer) {
      log.warn({ detail: answer.failed }, 'a mail about a verified domain was not sent')
      if (answer.isUnsent) {
        this.#waiting.remember(user_id)
        return false
      }
    }
    await writer.submit(
      { op: 'organization.domain.mail', share_id, user_id },
      { submission_id: deriveId('share mail', share_id, user_id), by: SHARING },
    )
    return 'sent' in answer
  }
}
