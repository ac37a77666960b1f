import { resolveBaseUrl } from '../../../pipeline/core/base-url.ts'
import { SECOND } from '../../../pipeline/core/clock.ts'
import type { Config } from '../../../pipeline/core/config.ts'
import { readRegistryKeys } from '../../../pipeline/core/keys/registry-keys.ts'
import { printNotice } from '../../../pipeline/core/log.ts'
import { findMailPlace } from '../../../pipeline/core/mail-place.ts'
import { getMessage, type WriterClient } from '../../api-client/writer-client.ts'
import { type Loop, repeatEvery } from '../loops.ts'
import { ShareMailer } from './share-mailer.ts'
import { type SendWatchMail, WatchMailer, type WatchMailerParts } from './watch-mailer.ts'

/** Time in addition to the mail server's own, for a busy crawler. */
const SLACK_MS = 5 * SECOND

const TELL_EVERY_MS = 5 * SECOND

type Started = Omit<WatchMailerParts, 'writer' | 'send' | 'keys' | 'base' | 'limits'> & {
  writer: Pick<WriterClient, 'requestLive' | 'submit'>
}

/** Starts mailing people what they watch; undefined where no mail can be sent, or its links not be signed. */
export function startWatching(parts: Started, config: Config): Loop | undefined {
  const mailing = buildMailing(parts, config)
  const keys = mailing === undefined ? undefined : readRegistryKeys(config)
  if (mailing === undefined || keys === undefined) return undefined
  const mailer = new WatchMailer({ ...parts, ...mailing, keys })
  return repeatEvery(
    () => mailer.pauseMs,
    parts.log,
    () => mailer.look(),
  )
}

/** Starts mailing organizations that another one has verified their domain; undefined where no mail can be sent. */
export function startTellingShares(parts: Started, config: Config): Loop | undefined {
  const mailing = buildMailing(parts, config)
  if (mailing === undefined) return undefined
  const mailer = new ShareMailer({ ...parts, ...mailing })
  return repeatEvery(TELL_EVERY_MS, parts.log, () => mailer.look())
}

/** Builds what it takes to send mails; undefined where none can be sent. */
function buildMailing({ writer }: Started, config: Config) {
  const base = resolveBaseUrl(config)
  const place = findMailPlace(config, base)
  if (place === undefined) return undefined
  const send = place === 'mail' ? createSender(writer, config) : printMail
  return { send, base, limits: config.LIMITS }
}

/** Creates the function by which a crawler sends mails. */
function createSender(
  { requestLive }: Pick<WriterClient, 'requestLive'>,
  { LIMITS }: Config,
): SendWatchMail {
  return request =>
    requestLive(request, LIMITS.mailMs + SLACK_MS).catch(error => ({ failed: getMessage(error) }))
}

/** Prints a mail for the person at the terminal, where there is no mail server. */
export const printMail: SendWatchMail = async ({ to, subject, text }) => {
  printNotice(`Email to ${to}: ${subject}\n\n${text}\n`)
  return { sent: true }
}
