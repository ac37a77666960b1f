import {
  listClosers,
  listOpeners,
  listOutdented,
  listRest,
  listSuperfluous,
} from './bracket-repairs.ts'
import { listCommas, listSeparators } from './comma-repairs.ts'
import { endToken, readSyntax, type Step, type SyntaxReading } from './json-tokens.ts'
import { listLineBreaks, listQuotes, listWords } from './quote-repairs.ts'
import type { Repair } from './text-edit.ts'

/** A repair, and whether the text is JSON after it. */
interface FoundRepair extends Repair {
  isComplete: boolean
}

/** Size of a text, in characters, up to which edits are tried. */
const TEXT_MAX = 1_000_000
/** Characters that all trials may read together. */
const TRIAL_CHARS_MAX = 4_000_000
/** Part of a text that copying it costs, compared with reading it. */
const COPY_COST = 0.05

/**
 * Finds the edit that makes a text JSON, or JSON for as far as possible: the parser stops behind the fault, and
 * only a trial shows whether a comma is missing, a quote or a bracket. Undefined where no edit helps.
 */
export function findRepair(text: string): FoundRepair | undefined {
  if (text.length > TEXT_MAX) return undefined
  const reading = readSyntax(text)
  const { failed } = reading
  if (failed === undefined) return undefined
  // An edit helps if the text is JSON beyond the token that did not fit.
  let best: { repair: Repair; reached: number } | undefined
  let left = TRIAL_CHARS_MAX
  for (const repair of listRepairs(text, reading, failed)) {
    const reached = measureRepaired(text, reading, repair)
    if (reached === Number.POSITIVE_INFINITY) return { ...repair, isComplete: true }
    const isHelpful = reached > endToken(failed.token)
    if (isHelpful && reached > (best?.reached ?? 0)) best = { repair, reached }
    left -= Math.max(reached - repair.offset, 0) + text.length * COPY_COST
    if (left < 0) break
  }
  return best && { ...best.repair, isComplete: false }
}

/** Measures up to which offset of the original a text is JSON after an edit; infinite if to its end. */
function measureRepaired(
  text: string,
  { steps }: SyntaxReading,
  { offset, remove, insert }: Repair,
): number {
  // The token before the edit may become another one.
  const known = steps.findLast(({ token }) => endToken(token) < offset)
  const from = known?.token.start ?? 0
  const edited = text.slice(from, offset) + insert + text.slice(offset + remove)
  const { failed } = readSyntax(edited, 0, known)
  if (failed === undefined) return Number.POSITIVE_INFINITY
  return failed.token.start + from + remove - insert.length
}

/** Lists the edits that may be meant, the likely ones first. */
function* listRepairs(text: string, { steps }: SyntaxReading, failed: Step): Generator<Repair> {
  yield* listCommas(steps, failed)
  yield* listSeparators(text, steps, failed)
  yield* listLineBreaks(text, failed)
  yield* listOutdented(text, steps, failed)
  yield* listClosers(text, steps, failed)
  const openers = listOpeners(steps, failed)
  const superfluous = listSuperfluous(text, steps, failed)
  // What follows the last bracket of the file is more likely too much.
  yield* failed.expected === 'end' ? superfluous : openers
  yield* failed.expected === 'end' ? openers : superfluous
  yield* listWords(text, steps, failed)
  yield* listQuotes(text, steps, failed)
  yield* listClosers(text, steps, failed, ',')
  yield* listRest(text, failed)
}
