import { resolveBaseUrl } from '../../../pipeline/core/base-url.ts'
import { SECOND } from '../../../pipeline/core/clock.ts'
import type { Config } from '../../../pipeline/core/config.ts'
import { readRegistryKeys } from '../../../pipeline/core/keys/registry-keys.ts'
import { printNotice } from '../../../pipeline/core/log.ts'
import { findMailPlace } from '../../../pipeline/core/mail-place.ts'
import { getMessage, type WriterClient } from '../../api-client/writer-client.ts'
import { type Loop, repeatEvery } from '../loops.ts'
import { type SendWatchMail, WatchMailer, type WatchMailerParts } from './watch-mailer.ts'

/** Time in addition to the mail server's own, for a busy crawler. */
const SLACK_MS = 5 * SECOND

/** Starts mailing people what they watch; undefined where no mail can be sent, or its links not be signed. */
export function startWatching(
  parts: Omit<WatchMailerParts, 'writer' | 'send' | 'keys' | 'base' | 'limits'> & {
    writer: Pick<WriterClient, 'requestLive' | 'submit'>
  },
  config: Config,
): Loop | undefined {
  const base = resolveBaseUrl(config)
  const place = findMailPlace(config, base)
  const keys = place === undefined ? undefined : readRegistryKeys(config)
  if (keys === undefined) return undefined
  const send = place === 'mail' ? createSender(parts.writer, config) : printMail
  const mailer = new WatchMailer({ ...parts, send, keys, base, limits: config.LIMITS })
  return repeatEvery(
    () => mailer.pauseMs,
    parts.log,
    () => mailer.look(),
  )
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
