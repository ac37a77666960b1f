import type { Outcome } from '../core/outcomes.ts'
import type { StoredWatch, WatchedFile } from './watch.ts'

/** Something that happened to what a person watches. Every fact in it is public. */
export type WatchedChange = { at: string } & (
  | { what: 'file_broken'; file: WatchedFile; outcome: Outcome | null; read_at: string }
  | { what: 'file_valid'; file: WatchedFile; isFirst: boolean }
  | {
      what: 'hosted_started' | 'hosted_changed' | 'hosted_stopped'
      file: WatchedFile
      /** Organization that did it; null for the registry itself. */
      editor_name: string | null
      edit_summary: string
    }
  | { what: 'agent_gained' | 'agent_lost'; agent: string }
  | { what: 'publisher_gained' | 'publisher_lost'; domain: string }
  | { what: 'claimed'; agent: string }
  | { what: 'lookalike'; domain: string; isBrand: boolean }
  | { what: 'tests'; before: string; now: string }
  | { what: 'badge_earned' | 'badge_lost'; role: string }
)

/** Changes that a look found for one watch, and its progress once they are reported. */
export interface ChangesOfWatch {
  watch: StoredWatch
  changes: WatchedChange[]
  progress: { reported_seq: number; known: NonNullable<StoredWatch['known']> }
}
