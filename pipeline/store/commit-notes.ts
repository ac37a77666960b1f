import type { Outcome } from '../core/outcomes.ts'
import type { Source } from '../model/observation.ts'
import type { FileState } from '../resolve/validity.ts'

/** State of a file after an attempt, as far as it is shown. */
export interface AttemptedFile
  extends Source,
    Pick<FileState, 'status' | 'attempted_at' | 'succeeded_at'> {
  outcome: Outcome
  took_ms: number | null
}

/** Notes of what a commit has done so far, for what follows from it. */
export class CommitNotes {
  readonly seq: number
  #attempts: AttemptedFile[] | undefined = []
  readonly #deleted = new Map<string, Set<string>>()

  constructor(seq: number) {
    this.seq = seq
  }

  /** Files whose crawl state it changes; undefined where they must be looked for. */
  get attempts(): readonly AttemptedFile[] | undefined {
    return this.#attempts
  }

  noteAttempts(files: readonly AttemptedFile[]): void {
    this.#attempts = this.#attempts?.concat(files)
  }

  /** Notes that files were changed or forgotten otherwise than by the attempts that are known. */
  forgetAttempts(): void {
    this.#attempts = undefined
  }

  noteDeleted(table: string, keys: readonly string[]): void {
    const known = this.#deleted.get(table) ?? new Set()
    for (const key of keys) known.add(key)
    this.#deleted.set(table, known)
  }

  /** Lists the keys of rows of a table that were deleted; some of them may have been inserted again. */
  listDeleted(table: string): string[] {
    return [...(this.#deleted.get(table) ?? [])]
  }
}

/** Records the serving keys that a commit touched, for its projection. */
export async function recordChanges(
  db: { insert(table: string, rows: readonly object[]): Promise<void> },
  seq: number,
  keys: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  const rows = Object.entries(keys).flatMap(([space, touched]) =>
    touched.map(key => ({ seq, space, key })),
  )
  await db.insert('changes', rows)
}
