import { resolveBaseUrl } from '../../../pipeline/core/base-url.ts'
import type { Config } from '../../../pipeline/core/config.ts'
import { readRegistryKeys } from '../../../pipeline/core/keys/registry-keys.ts'
import { type Loop, repeatEvery } from '../loops.ts'
import { WatchMailer, type WatchMailerParts } from './watch-mailer.ts'

/** Starts mailing people what they watch; undefined where no mail can be sent, or its links not be signed. */
export function startWatching(
  parts: Pick<WatchMailerParts, 'sequencer' | 'writer' | 'clock' | 'log'>,
  config: Config,
): Loop | undefined {
  const keys = config.SMTP_URL === undefined ? undefined : readRegistryKeys(config)
  if (keys === undefined) return undefined
  const base = resolveBaseUrl(config)
  const mailer = new WatchMailer({ ...parts, keys, base, limits: config.LIMITS })
  return repeatEvery(
    () => mailer.pauseMs,
    parts.log,
    () => mailer.look(),
  )
}
