import type { Config } from '../../pipeline/core/config.ts'
import { PublicError, refuse } from '../../pipeline/core/errors.ts'
import { isWriterSilent } from '../../pipeline/read/health.ts'
import type { Reader } from '../../pipeline/read/reader.ts'

interface DenialServices {
  reader: Reader
  config: Config
}

const RETRY_AFTER_S = 5
const TEXT = 'this host may lack what another one has answered; try again'

/** Statuses that deny something, which only stores that lack nothing can do. */
const denials: ReadonlySet<number> = new Set([401, 403, 404, 410])

/** Refuses with 503 what stores cannot decide that may lack a revocation. */
export function requireCurrentStores({ isBehindOthers }: Pick<Reader, 'isBehindOthers'>): void {
  if (isBehindOthers) refuse('unavailable', TEXT, { retry_after: RETRY_AFTER_S })
}

/**
 * Finds the refusal that takes the place of a denial while another host may write (`BACKUP_TO`): an acknowledged key, role or entry may be one
 * that the stores of this host lack.
 */
export function findUnknowable(
  status: number | undefined,
  services: DenialServices,
): PublicError | undefined {
  if (status === undefined || !denials.has(status) || !mayLackAnswers(services)) return undefined
  return new PublicError('unavailable', TEXT, { retry_after: RETRY_AFTER_S })
}

/** Tells whether another host may have answered what the stores of this one lack. */
function mayLackAnswers({ reader, config }: DenialServices): boolean {
  if (reader.isBehindOthers) return true
  const { BACKUP_TO, LIMITS } = config
  return BACKUP_TO !== undefined && isWriterSilent(reader.paths, reader.now(), LIMITS.leaseMs)
}
