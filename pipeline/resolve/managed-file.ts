import { DAY, type Instant } from '../core/clock.ts'
import { type Domain, parseDomain } from '../core/domain.ts'
import { getEffect, isMissing } from '../core/outcomes.ts'
import type { AdagentsInline, PropertyEntry } from '../model/documents/index.ts'
import { isOfSignals } from '../model/grant-scope.ts'
import { ask, type Derivation, type KnownFile, type Pending, pending, wake } from './derivation.ts'
import { type ManagerScope, readScope } from './manager-scope.ts'
import { type PointedAt, resolvePointer } from './pointed-at.ts'
import { Revocations } from './revocation.ts'
import { pickWorst, type Validity } from './validity.ts'

/** A manager's file as far as it is about one publisher, and where it was read. */
export interface ManagedFile extends PointedAt {
  manager_domain: Domain
}

/** The manager's file revokes the publisher, so that no file replaces the missing one. */
export const revokedByManager = Symbol('disowned')

/** For so long a missing file counts as missing while its site fails to answer at all… */
const UNREACHABLE_SITE_RETENTION_MS = 7 * DAY
/** …or answers with JSON that says nothing known. */
const UNREADABLE_RETENTION_MS = DAY

/**
 * Resolves the file that replaces the missing one of a publisher: that of the manager named by its
 * ads.txt, if the manager names the publisher too. Undefined when the publisher's own file is not
 * missing, or there is no such manager; then the result is as without an ads.txt.
 */
export function* resolveManagedFile(
  publisher: Domain,
  own: KnownFile<'adagents.json'>,
  now: Instant,
): Derivation<ManagedFile | typeof revokedByManager | Pending | undefined> {
  const absence = readAbsence(own, now)
  if (absence === undefined) return undefined
  const adsTxt = yield* ask('ads.txt', publisher)
  const manager = parseDomain(adsTxt.document?.manager_domain)
  if (manager === undefined || manager === publisher) return undefined
  if (absence.until !== undefined) yield* wake(absence.until)
  const file = yield* resolveManagerFile(manager, publisher, now)
  if (file === pending || file === undefined) return file
  const validity = pickWorst(absence.validity, adsTxt.validity, file.validity)
  if (validity === 'expired') return undefined
  const revocations = new Revocations(file.document, now)
  const isRevoked = revocations.has(publisher)
  for (const at of revocations.changeTimes) yield* wake(at)
  if (isRevoked) return revokedByManager
  const scope = readScope(file.document)
  if (!scope.publishers.has(publisher)) return undefined
  const document = narrowTo(file.document, scope, publisher)
  return { manager_domain: manager, location: file.location, document, validity }
}

interface Absence {
  validity: Validity
  /** Time at which the file's absence ends, if nothing else is heard. */
  until?: Instant
}

/** Reads for how long the file counts as missing; undefined when it is not. */
function readAbsence({ document, validity, state }: KnownFile, now: Instant): Absence | undefined {
  if (state === undefined || state.outcome === null) return undefined
  if (document !== undefined && validity === 'valid') return undefined
  if (isMissing(state.outcome)) return { validity: 'valid' }
  if (state.absent_at === null) return undefined
  const isNonsense = getEffect(state.outcome) === 'unusable'
  const until =
    state.absent_at + (isNonsense ? UNREADABLE_RETENTION_MS : UNREACHABLE_SITE_RETENTION_MS)
  return now >= until ? undefined : { validity: isNonsense ? 'stale' : 'valid', until }
}

/**
 * Resolves the manager's file, or the one that it points to. Never back to where the question came
 * from.
 */
function* resolveManagerFile(
  manager: Domain,
  publisher: Domain,
  now: Instant,
): Derivation<PointedAt | Pending | undefined> {
  const { document, validity } = yield* ask('adagents.json', manager)
  if (validity === 'unknown') return pending
  if (document === undefined) return undefined
  if (document.variant === 'inline') return { document, validity: validity, location: manager }
  return yield* resolvePointer(manager, document, validity, [manager, publisher], now)
}

/**
 * Narrows a manager's file to one publisher. Properties without a publisher are the manager's own,
 * and so are signals: they never become the publisher's.
 */
function narrowTo(
  document: AdagentsInline,
  { properties }: ManagerScope,
  publisher: Domain,
): AdagentsInline {
  const isPublishers = ({ publisher_domain }: PropertyEntry) => publisher_domain === publisher
  return {
    ...document,
    properties: properties.get(publisher) ?? [],
    signals: [],
    agents: document.agents
      .filter(entry => !isOfSignals(entry.authorization_type))
      .map(({ properties: inline, ...entry }) =>
        inline ? { ...entry, properties: inline.filter(isPublishers) } : entry,
      ),
  }
}
