import { hasCreative, resolveCreative, saveCreative } from '../creatives/library.ts'
import { TaskError } from '../errors.ts'
import type { TaskContext } from '../task-context.ts'
import type { CreativeAssignment, PackageTerms } from './requests.ts'

/** Splits the creatives of a new package into those in the library and those that it has to wait for. */
export function splitAssignments(
  { creative_assignments }: PackageTerms,
  accountId: string,
  context: TaskContext,
): { present: Pick<PackageTerms, 'creative_assignments'>; awaited: CreativeAssignment[] } {
  if (!creative_assignments) return { present: {}, awaited: [] }
  const isThere = ({ creative_id }: CreativeAssignment) =>
    hasCreative(context, accountId, creative_id)
  return {
    present: { creative_assignments: creative_assignments.filter(isThere) },
    awaited: creative_assignments.filter(assignment => !isThere(assignment)),
  }
}

/**
 * Resolves the creatives that a package is to show, and stores those that the request contains; undefined if it
 * mentions none. Throws where one is unknown or in another format; `field` is the place of the package.
 */
export function resolveAssignments(
  { creative_assignments, creatives }: PackageTerms,
  formats: readonly string[],
  accountId: string,
  context: TaskContext,
  field: string,
): CreativeAssignment[] | undefined {
  if (!creative_assignments && !creatives) return undefined
  const inline = (creatives ?? []).map((creative, at): CreativeAssignment => {
    saveCreative(context, accountId, creative, { field: `${field}.creatives[${at}]` })
    const { creative_id, weight, placement_ids } = creative
    return {
      creative_id,
      ...(weight !== undefined && { weight }),
      ...(placement_ids && { placement_ids }),
    }
  })
  const assigned = [...(creative_assignments ?? []), ...inline]
  for (const [at, { creative_id }] of assigned.entries()) {
    const place = `${field}.creative_assignments[${at}].creative_id`
    const { format_id } = resolveCreative(context, accountId, creative_id, place)
    if (formats.includes(format_id.id)) continue
    const message = `${place}: the product does not accept the format ${format_id.id}`
    throw new TaskError('CREATIVE_REJECTED', message, { field: place })
  }
  return assigned
}
