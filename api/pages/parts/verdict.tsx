import type {
  Evidence,
  PropertyAuthorization,
} from '../../../pipeline/model/responses/authority.ts'
import { type Html, h } from '../html/jsx.ts'
import { clipText } from '../html/text.tsx'

interface Verdict {
  verdict: string
  /** Why, as it stands behind the verdict; empty where the verdict says it. */
  reason: string
  look: 'good' | 'fair' | 'bad' | 'none'
}

const neededWords = {
  country: 'Depends on the country',
  collection_ids: 'Depends on the collection',
  placement_ids: 'Depends on the placement',
} as const satisfies Record<NonNullable<PropertyAuthorization['needs']>, string>

/** Describes whether a sale is authorized, and if not, what stops it. */
export function describeVerdict(
  {
    authorized,
    confirmed,
    needs,
    sides,
  }: Pick<PropertyAuthorization, 'authorized' | 'confirmed' | 'needs' | 'sides'>,
  evidence: readonly Evidence[],
): Verdict {
  if (authorized) {
    const verdict = confirmed
      ? 'Yes, and both sides say so'
      : 'Yes, authorized by the publisher (operator has not confirmed)'
    return { verdict, reason: '', look: 'good' }
  }
  if (needs !== undefined) return { verdict: neededWords[needs], reason: '', look: 'fair' }
  const side = sides.publisher === 'match' ? 'operator' : 'publisher'
  const isUnknown = sides[side] === 'unknown'
  const step = evidence.find(step => step.side === side && step.says === sides[side])
  const text =
    step === undefined ? '' : clipText(step.text, 200).replace(/, so this is unknown$/, '')
  return {
    verdict: isUnknown ? 'Not known' : 'No',
    reason: text && `: ${text}`,
    look: isUnknown ? 'none' : 'bad',
  }
}

export function renderVerdict({ verdict, reason, look }: Verdict): Html {
  return (
    <h1 class={`verdict ${look}`}>
      {verdict}
      {reason}
    </h1>
  )
}
