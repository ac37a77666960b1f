import { createTransport } from 'nodemailer'
import type { Config } from '../core/config.ts'
import { isLoopback } from '../core/loopback.ts'
import type { LiveRequestAnswers, LiveRequestOf } from '../model/live/live-request.ts'

/**
 * Sends a mail through the server in SMTP_URL; its address never comes from a caller. TLS is required unless
 * the server is on this machine.
 */
export async function sendMail(
  { to, subject, text }: LiveRequestOf<'send_mail'>,
  { SMTP_URL, MAIL_FROM, LIMITS: { mailMs } }: Config,
): Promise<LiveRequestAnswers['send_mail']> {
  if (SMTP_URL === undefined || MAIL_FROM === undefined) return { failed: 'no mail server is set' }
  const url = new URL(SMTP_URL)
  const isSecure = url.protocol === 'smtps:'
  const transport = createTransport({
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port || (isSecure ? 465 : 587)),
    secure: isSecure,
    requireTLS: !isSecure && !isLoopback(url.hostname),
    connectionTimeout: mailMs,
    greetingTimeout: mailMs,
    socketTimeout: mailMs,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(url.username && {
      auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
    }),
  })
  try {
    await transport.sendMail({ from: MAIL_FROM, to: { name: '', address: to }, subject, text })
    return { sent: true }
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) }
  } finally {
    transport.close()
  }
}
