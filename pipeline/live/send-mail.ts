import { createTransport } from 'nodemailer'
import type { Config } from '../core/config.ts'
import { isLoopback } from '../core/loopback.ts'
import type { LiveRequestAnswers, LiveRequestOf } from '../model/live/live-request.ts'

/**
 * Sends a mail through the server in SMTP_URL; its address never comes from a caller. TLS is required unless
 * the server is on this machine.
 */
export async function sendMail(
  { to, subject, text, end_url }: LiveRequestOf<'send_mail'>,
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
    const headers = end_url === undefined ? {} : buildListHeaders(end_url)
    const address = { name: '', address: to }
    await transport.sendMail({ from: MAIL_FROM, to: address, subject, text, headers })
    return { sent: true }
  } catch (error) {
    const failed = error instanceof Error ? error.message : String(error)
    return isTemporary(error) ? { failed, isUnsent: true } : { failed }
  } finally {
    transport.close()
  }
}

/** Builds the headers by which mail programs offer to end such mails with one press (RFC 2369, RFC 8058). */
function buildListHeaders(endUrl: string) {
  return {
    'List-Unsubscribe': `<${endUrl}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    'Auto-Submitted': 'auto-generated',
  }
}

/**
 * Tells whether the mail was surely not taken, and may be later: the server could not be reached, or said so itself.
 * After silence it may have been.
 */
function isTemporary(error: unknown): boolean {
  const { responseCode, syscall, code } = error as {
    responseCode?: number
    syscall?: string
    code?: string
  }
  if (responseCode !== undefined) return responseCode >= 400 && responseCode < 500
  return syscall === 'connect' || code === 'EDNS'
}
