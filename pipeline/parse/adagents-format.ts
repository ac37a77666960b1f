import type { z } from 'zod'
import { describeIssue, formatPath } from '../core/validation-messages.ts'
import { AdagentsFile } from '../model/adagents-file/adagents-file.ts'
import type { FaultCode } from '../model/fault-codes.ts'
import type { Fault } from '../model/observation.ts'
import { quote } from './faults.ts'

/** Unknown members that a message names. */
const NAMED_MAX = 5

/**
 * Lists what the format of adagents.json forbids in a file, as its warnings, unless one of the `known` faults is
 * at the same place, around it or within it: the crawler reads such a file, other readers may refuse it.
 */
export function listFormatFaults(file: unknown, known: readonly Fault[]): Fault[] {
  if (AdagentsFile.safeParse(file).success) return []
  const taken = collectPlaces(known)
  const { error } = AdagentsFile.safeParse(file, { error: describe })
  return (error?.issues ?? []).flatMap(issue => {
    const field = formatPath(issue.path) || 'root'
    if (taken.within.has(field) || listPlacesAround(field).some(place => taken.at.has(place)))
      return []
    return { field, code: toFaultCode(issue), message: issue.message, severity: 'warning' }
  })
}

/** Collects the places of faults, and all places around these. */
function collectPlaces(faults: readonly Fault[]): { at: Set<string>; within: Set<string> } {
  const at = new Set(faults.map(({ field }) => field))
  return { at, within: new Set([...at].flatMap(listPlacesAround)) }
}

/** Lists a place such as `a[0].b` and those around it: `a[0]` and `a`. */
function listPlacesAround(field: string): string[] {
  return [...field.matchAll(/[.[]/g)].map(({ index }) => field.slice(0, index)).concat(field)
}

function describe(issue: Parameters<typeof describeIssue>[0]): string | undefined {
  if (issue.code !== 'unrecognized_keys') return describeIssue(issue)
  return `has unknown members, which are not allowed here: ${issue.keys.slice(0, NAMED_MAX).map(quote).join(', ')}`
}

function toFaultCode(issue: z.core.$ZodIssue): FaultCode {
  switch (issue.code) {
    case 'invalid_type':
      return issue.message === 'is required' ? 'missing' : 'wrong_type'
    case 'too_small':
      return 'empty'
    case 'too_big':
      return 'too_long'
    case 'invalid_value':
    case 'invalid_union':
      return 'not_allowed'
    case 'unrecognized_keys':
      return 'misplaced'
    default:
      return 'bad_pattern'
  }
}
