import type { Instant } from '../core/clock.ts'
import type { DocumentOf, SourceKind } from '../model/documents.ts'
import type { Source } from '../model/observation.ts'
import type { FileState, Standing } from './standing.ts'

/** One file as the index holds it: the last accepted document and how far it still counts. */
export interface KnownFile<Kind extends SourceKind = SourceKind> {
  standing: Standing
  state?: FileState
  document?: DocumentOf<Kind>
  /** Where it is, if it was asked for by another spelling of that. */
  location?: string
}

/** What a rule may ask of those who run it: to see a file, or to be run again at some time. */
export type Question = { see: Source } | { wake: Instant }

/**
 * A rule that answers for one subject. It asks for a file by yielding its source and is given what
 * the index knows. What it asked for is exactly what its answer depends on, so no dependency can be
 * forgotten. Pure: the same files and the same time give the same answer.
 */
export type Derivation<Answer> = Generator<Question, Answer, KnownFile | undefined>

/** A file the answer needs has not been tried yet: what stands stays until it has. */
export const pending = Symbol('pending')
export type Pending = typeof pending

/** Asks for a file; the kind tells the type of the document. */
export function* ask<Kind extends SourceKind>(
  kind: Kind,
  location: string,
): Generator<Question, KnownFile<Kind>, KnownFile | undefined> {
  return (yield { see: { kind, location } }) as KnownFile<Kind>
}

/** The answer changes at this time even if no file does. A time that has passed changes nothing. */
export function* wake(at: Instant): Generator<Question, void, KnownFile | undefined> {
  yield { wake: at }
}
