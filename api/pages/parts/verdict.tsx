import type {
  Evidence,
  PropertyAuthorization,
} from '../../../pipeline/model/responses/authority.ts'
import { type Html, h } from '../html/jsx.ts'
import { capitalize, clipText, formatMoment, joinWords } from '../html/text.tsx'
import { toCountryName } from './plain-words.ts'

const COUNTRIES_NAMED_MAX = 8

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

/** Describes whether a sale is authorized at a time, and if not, what stops it. */
export function describeVerdict(
  {
    authorized,
    confirmed,
    needs,
    sides,
  }: Pick<PropertyAuthorization, 'authorized' | 'confirmed' | 'needs' | 'sides'>,
  evidence: readonly Evidence[],
  at: string,
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
  return {
    verdict: isUnknown ? 'Not known' : 'No',
    reason: step === undefined ? '' : `. ${describeReason(step, at)}`,
    look: isUnknown ? 'none' : 'bad',
  }
}

/** Describes the step that decided, about the names in question; `at` is the time of the question. */
function describeReason({ rule, domain, text, ...terms }: Evidence, at: string): string {
  const { effective_from: from, effective_until: until } = terms
  if (rule === 'agent_not_listed' && domain)
    return `${clipText(domain, 80)} does not list this agent`
  if (rule === 'not_in_window' && until && until < at)
    return `The authorization ended on ${formatDay(until)}`
  if (rule === 'not_in_window' && from && from > at)
    return `The authorization starts on ${formatDay(from)}`
  return capitalize(clipText(text, 200).replace(/, so (?:it|the registry) cannot tell$/, ''))
}

const formatDay = (iso: string) => formatMoment(iso).split(',', 1)[0]

/** Describes a step that authorizes a part, of which the question says nothing; undefined for any other. */
export function describeNeeded({ rule, countries = [] }: Evidence) {
  if (rule === 'collection_not_asked')
    return { short: 'some collections', long: 'only with some collections' }
  if (rule === 'placement_not_asked')
    return { short: 'some placements', long: 'only on some placements' }
  if (rule !== 'country_not_asked') return undefined
  const names = countries
    .slice(0, COUNTRIES_NAMED_MAX)
    .map(code => clipText(toCountryName(code), 40))
  const more = countries.length - names.length
  return {
    short: `only in ${clipText(countries.join(', '), 18)}`,
    long: `only in ${joinWords(more > 0 ? [...names, `${more} more`] : names)}`,
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
