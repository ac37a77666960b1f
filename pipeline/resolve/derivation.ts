import type { Instant } from '../core/clock.ts'
import type { DocumentOf, SourceKind } from '../model/documents/index.ts'
import type { Source } from '../model/observation.ts'
import type { FileState, Validity } from './validity.ts'

/** A file in the index: the last accepted document and its validity. */
export interface KnownFile<Kind extends SourceKind = SourceKind> {
  validity: Validity
  state?: FileState
  document?: DocumentOf<Kind>
  /** Location, if it was requested in another spelling. */
  location?: string
}

/** Question of a rule to its runner: to see a file, or to be run again at some time. */
export type Question = { source: Source } | { wake: Instant }

/**
 * A rule that derives the answer for one subject. It yields the source of each file that it needs and
 * receives what the index knows. The yielded sources are exactly what its answer depends on, so no
 * dependency can be forgotten. Pure: the same files and the same time give the same answer.
 */
export type Derivation<Answer> = Generator<Question, Answer, KnownFile | undefined>

/** The answer needs a file that was not tried yet: the earlier answer stays in force until then. */
export const pending = Symbol('pending')
export type Pending = typeof pending

/** Asks for a file; the kind tells the type of the document. */
export function* ask<Kind extends SourceKind>(
  kind: Kind,
  location: string,
): Generator<Question, KnownFile<Kind>, KnownFile | undefined> {
  return (yield { source: { kind, location } }) as KnownFile<Kind>
}

/**
 * Asks to be run again at a time: the answer changes then even if no file does. A time that has
 * passed changes nothing.
 */
export function* wake(at: Instant): Generator<Question, void, KnownFile | undefined> {
  yield { wake: at }
}
