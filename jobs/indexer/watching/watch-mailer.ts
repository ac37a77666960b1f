import { randomUUID } from 'node:crypto'
import {
  type Clock,
  DAY,
  HOUR,
  type Instant,
  MINUTE,
  SECOND,
} from '../../../pipeline/core/clock.ts'
import type { RegistryKeys } from '../../../pipeline/core/keys/registry-keys.ts'
import { signWatchLink } from '../../../pipeline/core/keys/watch-link.ts'
import type { Limits } from '../../../pipeline/core/limits.ts'
import type { Log } from '../../../pipeline/core/log.ts'
import { getFirst } from '../../../pipeline/core/present.ts'
import type {
  LiveRequestAnswers,
  LiveRequestOf,
} from '../../../pipeline/model/live/live-request.ts'
import {
  type StoredWatch,
  WATCH_END_PATH,
  type WatchProgress,
} from '../../../pipeline/model/watch.ts'
import type { ChangesOfWatch } from '../../../pipeline/model/watched-change.ts'
import {
  countMails,
  listAllWatches,
  listLastDailyMails,
} from '../../../pipeline/read/lookups/watches.ts'
import type { Sequencer } from '../../../pipeline/writer/sequencer.ts'
import { TakedownList } from '../../../pipeline/writer/takedown/takedown-list.ts'
import { findChanges } from '../../../pipeline/writer/watching/find-changes.ts'
import { loadWatchedRows } from '../../../pipeline/writer/watching/watched-rows.ts'
import type { WriterClient } from '../../api-client/writer-client.ts'
import { RecentAttempts } from '../recent-attempts.ts'
import { writeMail } from './mail-text.ts'

const LOOK_EVERY_MS = 15 * SECOND
/** Largest share of the time that a look may take, since commits wait for it. */
const SHARE_MAX = 0.005
/** Time before a person whose mail was not taken is tried again. */
const RETRY_MS = 10 * MINUTE
/** Time of the day (UTC) at which daily mails are sent: what happened in the night is in the index then. */
const DAILY_AT_MS = 6 * HOUR

/** Watches whose facts are recorded at a time: those of one may be 20 KB. */
const RECORDED_WATCHES_MAX = 100

/** Author of the submissions, as the audit shows it. */
const WATCHING = { kind: 'registry', id: 'watching' } as const

/** Sends a mail, and tells whether it was taken. */
export type SendWatchMail = (
  request: LiveRequestOf<'send_mail'>,
) => Promise<LiveRequestAnswers['send_mail']>

export interface WatchMailerParts {
  sequencer: Pick<Sequencer, 'accounts' | 'index' | 'quietly' | 'seq'>
  writer: Pick<WriterClient, 'submit'>
  send: SendWatchMail
  keys: Pick<RegistryKeys, 'deriveLinkSecrets'>
  /** Public address of the registry. */
  base: string
  limits: Pick<Limits, 'watchMailsPerDay'>
  clock: Clock
  log: Log
}

/**
 * Mails people what happened to what they watch. What is reported is recorded before a mail is sent, so that none is
 * sent twice, and taken back where the mail server surely did not take it.
 */
export class WatchMailer {
  readonly #parts: WatchMailerParts
  /** People whose mail was not taken, or who got as many as they may. */
  readonly #waiting: RecentAttempts<string>
  /** Watches of which a look found nothing new, with its commit and its day. */
  readonly #quiet = new Map<string, { seq: number; day: number }>()
  #tookMs = 0

  constructor(parts: WatchMailerParts) {
    this.#parts = parts
    this.#waiting = new RecentAttempts(parts.clock, RETRY_MS)
  }

  /** Returns the time until the next look, in milliseconds. */
  get pauseMs(): number {
    return Math.max(LOOK_EVERY_MS, this.#tookMs / SHARE_MAX)
  }

  /** Looks at the watches that are due and mails what is new; returns how many mails were sent. */
  async look(): Promise<number> {
    const { sequencer, clock } = this.#parts
    const now = clock.now()
    const watches = this.#listDue(now)
    if (watches.length === 0) return 0
    let started = 0
    const rows = await sequencer.quietly(() => {
      started = performance.now()
      return loadWatchedRows(sequencer.index, watches, { seq: sequencer.seq, now })
    })
    const { takenDown } = new TakedownList(sequencer.accounts.db)
    const found = findChanges(watches, rows, { takenDown, now })
    this.#tookMs = performance.now() - started
    const quiet = found.filter(({ changes }) => changes.length === 0)
    const changed = found.filter(({ changes }) => changes.length > 0)
    await this.#recordFacts(quiet)
    for (const { watch, progress } of quiet) {
      this.#quiet.set(watch.watch_id, { seq: progress.reported_seq, day: toDay(now) })
    }
    let sent = 0
    for (const mail of groupMails(changed)) if (await this.#report(mail)) sent++
    return sent
  }

  /**
   * Lists the watches to look at: those of daily mails once a day, unless it is the first look at them. One of a domain
   * that was taken down is left out: it learns nothing, and rows since its last report would be read for all.
   */
  #listDue(now: Instant): StoredWatch[] {
    const { db } = this.#parts.sequencer.accounts
    const waiting = new Set(this.#waiting.list())
    const lastDaily = listLastDailyMails(db)
    const { takenDown } = new TakedownList(db)
    const watches = listAllWatches(db)
    const ids = new Set(watches.map(({ watch_id }) => watch_id))
    for (const id of this.#quiet.keys()) if (!ids.has(id)) this.#quiet.delete(id)
    return watches
      .filter(({ user_id, subject }) => !waiting.has(user_id) && !takenDown.covers(subject))
      .filter(({ watch_id, user_id, pace, known, created_at }) => {
        if (pace === 'at_once' || known === null) return true
        const times = [created_at, lastDaily.get(user_id) ?? created_at].map(Date.parse)
        const day = Math.max(this.#quiet.get(watch_id)?.day ?? 0, ...times.map(toDay))
        return day < toDay(now)
      })
      .map(watch => {
        const quietSeq = this.#quiet.get(watch.watch_id)?.seq ?? 0
        return { ...watch, reported_seq: Math.max(watch.reported_seq, quietSeq) }
      })
  }

  /** Records facts that are no change, such as those of a first look. */
  async #recordFacts(quiet: readonly ChangesOfWatch[]): Promise<void> {
    const newFacts = quiet.filter(
      ({ watch, progress }) => JSON.stringify(watch.known) !== JSON.stringify(progress.known),
    )
    for (let at = 0; at < newFacts.length; at += RECORDED_WATCHES_MAX) {
      const watches = newFacts.slice(at, at + RECORDED_WATCHES_MAX).map(toProgress)
      await this.#parts.writer.submit({ op: 'watch.report', watches }, { by: WATCHING })
    }
  }

  /** Records what is reported to a person, then sends the mail; true once the mail server took it. */
  async #report(found: readonly ChangesOfWatch[]): Promise<boolean> {
    const { writer, limits, sequencer } = this.#parts
    const { watch } = getFirst(found)
    const { user_id, pace } = watch
    const most = limits.watchMailsPerDay
    const since = this.#parts.clock.now() - DAY
    if (countMails(sequencer.accounts.db, user_id, since) >= most) {
      this.#waiting.remember(user_id)
      return false
    }
    const mail = { mail_id: randomUUID(), user_id, pace, most }
    const recorded = await writer.submit(
      { op: 'watch.report', watches: found.map(toProgress), mail },
      { submission_id: mail.mail_id, by: WATCHING },
    )
    if (!('done' in recorded)) return false
    const answer = await this.#send(found)
    if ('sent' in answer) return true
    this.#parts.log.warn({ detail: answer.failed }, 'a mail about what is watched was not sent')
    if (answer.isUnsent) {
      this.#waiting.remember(user_id)
      const watches = found.map(toProgressBefore)
      await writer.submit({ op: 'watch.retract', watches, mail_id: mail.mail_id }, { by: WATCHING })
    }
    return false
  }

  #send(found: readonly ChangesOfWatch[]): Promise<LiveRequestAnswers['send_mail']> {
    const { send, keys, base } = this.#parts
    const { watch } = getFirst(found)
    const { watch_id, user_id, pace, email: to } = watch
    const token = signWatchLink(keys, pace === 'daily' ? { daily_of: user_id } : { watch_id })
    const end_url = `${base}${WATCH_END_PATH}?token=${token}`
    const { subject, text } = writeMail(found, { base, end: end_url })
    return send({ kind: 'send_mail', to, subject, text, end_url })
  }
}

/** Groups changes into mails: one for each watch, or for all of a person whose changes come once a day. */
function groupMails(found: readonly ChangesOfWatch[]): ChangesOfWatch[][] {
  const groups = Map.groupBy(found, ({ watch: { pace, user_id, email, watch_id } }) =>
    pace === 'daily' ? `${user_id} ${email}` : watch_id,
  )
  return [...groups.values()]
}

function toProgress({
  watch,
  progress,
}: Pick<ChangesOfWatch, 'watch' | 'progress'>): WatchProgress {
  const { reported_seq, known } = progress
  return { watch_id: watch.watch_id, reported_seq, known }
}

/** Returns the progress before a report. The facts of a first look stay known; the lookalikes it found are events. */
function toProgressBefore({ watch, progress }: ChangesOfWatch): WatchProgress {
  const known = watch.known ?? { ...progress.known, lookalikes: [] }
  return toProgress({ watch, progress: { ...watch, known } })
}

/** Returns the number of the day, which begins when daily mails are sent. */
function toDay(at: Instant): number {
  return Math.floor((at - DAILY_AT_MS) / DAY)
}
