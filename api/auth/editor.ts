import type { Principal } from './principal.ts'

/** Converts the caller to the editor that a revision records. */
export function toEditor({ kind, id, org_id }: Principal) {
  return { kind, id, org_id: org_id ?? null }
}
