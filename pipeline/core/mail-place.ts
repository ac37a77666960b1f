import { isLoopback } from './loopback.ts'

/** Place in which people find what the registry writes to them: a mail, or the terminal on the operator's own machine. */
export type MailPlace = 'mail' | 'terminal'

/** Finds where people find what the registry at this address writes to them; undefined if it cannot write. */
export function findMailPlace(
  { SMTP_URL }: { SMTP_URL?: string | undefined },
  baseUrl: string,
): MailPlace | undefined {
  if (SMTP_URL !== undefined) return 'mail'
  return isOwnMachine(new URL(baseUrl).hostname) ? 'terminal' : undefined
}

/** Tells whether a host names this machine, as `localhost` does. */
export function isOwnMachine(hostname: string): boolean {
  return hostname === 'localhost' || isLoopback(hostname)
}
