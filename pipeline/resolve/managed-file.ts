import { DAY, type Instant } from '../core/clock.ts'
import { type Domain, parseDomain } from '../core/domain.ts'
import { effectOf, isMissing } from '../core/outcomes.ts'
import type { AdagentsInline, PropertyEntry } from '../model/documents.ts'
import { ask, type Derivation, type KnownFile, type Pending, pending, wake } from './derivation.ts'
import { isOfSignals } from './grants.ts'
import { type ManagerScope, scopeOf } from './manager-scope.ts'
import { type PointedAt, pointedAt } from './pointed-at.ts'
import { Revocations } from './revocation.ts'
import { type Standing, worstOf } from './standing.ts'

/** A manager's file as far as it is about one publisher, and where it was read. */
export interface ManagedFile extends PointedAt {
  manager_domain: Domain
}

/** The manager's file revokes the publisher: nothing stands in for it. */
export const disowned = Symbol('disowned')

/** For so long a missing file counts as missing while its site fails to answer at all… */
const SILENCE = 7 * DAY
/** …or answers with JSON that says nothing known. */
const NONSENSE = DAY

/**
 * The file that stands in for the missing one of a publisher: that of the manager its ads.txt names,
 * if the manager names the publisher back. Undefined when the publisher's own file is not missing,
 * or nothing stands in for it; then all is as without an ads.txt.
 */
export function* managedFile(
  publisher: Domain,
  own: KnownFile<'adagents.json'>,
  now: Instant,
): Derivation<ManagedFile | typeof disowned | Pending | undefined> {
  const absence = absenceOf(own, now)
  if (absence === undefined) return undefined
  const adsTxt = yield* ask('ads.txt', publisher)
  const manager = parseDomain(adsTxt.document?.manager_domain)
  if (manager === undefined || manager === publisher) return undefined
  if (absence.until !== undefined) yield* wake(absence.until)
  const file = yield* fileOf(manager, publisher, now)
  if (file === pending || file === undefined) return file
  const standing = worstOf(absence.standing, adsTxt.standing, file.standing)
  if (standing === 'ended') return undefined
  const revocations = new Revocations(file.document, now)
  const isRevoked = revocations.has(publisher)
  for (const at of revocations.turns) yield* wake(at)
  if (isRevoked) return disowned
  const scope = scopeOf(file.document)
  if (!scope.publishers.has(publisher)) return undefined
  const document = narrowed(file.document, scope, publisher)
  return { manager_domain: manager, location: file.location, document, standing }
}

interface Absence {
  standing: Standing
  /** When it is over if nothing else is heard. */
  until?: Instant
}

/** How far it stands that the file is missing; undefined when it is not. */
function absenceOf({ document, standing, state }: KnownFile, now: Instant): Absence | undefined {
  if (state === undefined || state.outcome === null) return undefined
  if (document !== undefined && standing === 'stands') return undefined
  if (isMissing(state.outcome)) return { standing: 'stands' }
  if (state.absent_at === null) return undefined
  const isNonsense = effectOf(state.outcome) === 'unusable'
  const until = state.absent_at + (isNonsense ? NONSENSE : SILENCE)
  return now >= until ? undefined : { standing: isNonsense ? 'stale' : 'stands', until }
}

/** The manager's file, or the one that it points to. Never back to where the question came from. */
function* fileOf(
  manager: Domain,
  publisher: Domain,
  now: Instant,
): Derivation<PointedAt | Pending | undefined> {
  const { document, standing } = yield* ask('adagents.json', manager)
  if (standing === 'untried') return pending
  if (document === undefined) return undefined
  if (document.variant === 'inline') return { document, standing, location: manager }
  return yield* pointedAt(manager, document, standing, [manager, publisher], now)
}

/**
 * What of a manager's file is about one publisher. A property that names nobody is the manager's own,
 * and so are signals: they must not become those of whoever names the manager.
 */
function narrowed(
  document: AdagentsInline,
  { properties }: ManagerScope,
  publisher: Domain,
): AdagentsInline {
  const isTheirs = ({ publisher_domain }: PropertyEntry) => publisher_domain === publisher
  return {
    ...document,
    properties: properties.get(publisher) ?? [],
    agents: document.agents
      .filter(entry => !isOfSignals(entry))
      .map(({ properties: inline, ...entry }) =>
        inline ? { ...entry, properties: inline.filter(isTheirs) } : entry,
      ),
  }
}
