import type { AdagentsDocument, BrandDocument } from '../model/documents.ts'
import type { FileKind, Source } from '../model/observation.ts'
import type { FileState, Standing } from './standing.ts'

/** One file as the index holds it: the last accepted document and how far it still counts. */
export interface KnownFile {
  standing: Standing
  state?: FileState
  document?: AdagentsDocument | BrandDocument
}

/**
 * A rule that answers for one domain. It asks for a file by yielding its source and is given what
 * the index knows. What it asked for is exactly what its answer depends on, so no dependency can be
 * forgotten. Pure: the same files and the same time give the same answer.
 */
export type Derivation<Answer> = Generator<Source, Answer, KnownFile>

/** A file the answer needs has not been tried yet: what stands stays until it has. */
export const pending = Symbol('pending')
export type Pending = typeof pending

type DocumentOf<Kind extends FileKind> = Kind extends 'brand.json'
  ? BrandDocument
  : AdagentsDocument

/** Asks for a file; the kind tells the type of the document. */
export function* ask<Kind extends FileKind>(
  kind: Kind,
  location: string,
): Generator<Source, KnownFile & { document?: DocumentOf<Kind> }, KnownFile> {
  return (yield { kind, location }) as KnownFile & { document?: DocumentOf<Kind> }
}
