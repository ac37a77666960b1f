import { countThings } from '../../../pipeline/core/counts.ts'
import { parseUrl } from '../../../pipeline/core/url.ts'
import type { OperatorRule } from '../../../pipeline/model/operator-side.ts'
import type {
  Evidence,
  PropertyAuthorization,
  PublisherAuthorization,
} from '../../../pipeline/model/responses/authority.ts'
import { type Html, h } from '../html/jsx.ts'
import {
  capitalize,
  clipText,
  formatDate,
  joinWords,
  showDomains,
  toContractions,
} from '../html/text.tsx'
import { describeSelling, toCountryInSentence, toCountryName } from './plain-words.ts'

const COUNTRIES_NAMED_MAX = 8

/** Rule of a step that names the file that revokes a publisher; the API says of its own file that it is not known. */
export const PUBLISHER_REVOKED = 'publisher_revoked'

interface Verdict {
  verdict: string
  /** Why, as a sentence without its period; empty where the verdict says it. */
  reason: string
  look: 'good' | 'fair' | 'bad' | 'none'
}

/** Words for what an answer depends on, by the term that the question leaves out. */
export const neededWords = {
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
    operator_reason,
  }: Pick<PropertyAuthorization, 'authorized' | 'confirmed' | 'needs' | 'sides'> & {
    operator_reason?: OperatorRule
  },
  evidence: readonly Evidence[],
  at: string,
): Verdict {
  if (authorized) {
    const reason = confirmed
      ? 'Confirmed by both sides'
      : operator_reason === 'not_recorded'
        ? 'Authorized by the publisher'
        : 'Authorized by the publisher (the operator hasn’t confirmed it)'
    return { verdict: 'Yes', reason, look: 'good' }
  }
  if (needs !== undefined) return { verdict: neededWords[needs], reason: '', look: 'fair' }
  const side = sides.publisher === 'match' ? 'operator' : 'publisher'
  const step = evidence.find(step => step.side === side && step.says === sides[side])
  const isUnknown = sides[side] === 'unknown' && step?.rule !== PUBLISHER_REVOKED
  return {
    verdict: isUnknown ? 'Unknown' : 'No',
    reason: step === undefined ? '' : describeReason(step, at, evidence),
    look: isUnknown ? 'none' : 'bad',
  }
}

/** Describes a grant of less than everything, everywhere; undefined for any other answer about a publisher. */
export function describePart(
  {
    authorized: count,
    total,
    publisher_wide,
  }: Pick<PublisherAuthorization, 'authorized' | 'total' | 'publisher_wide'>,
  evidence: readonly Evidence[],
): Verdict | undefined {
  const limits = describeLimits(evidence)
  if (count === 0 || (publisher_wide && limits === '')) return undefined
  const reach = publisher_wide
    ? []
    : [`${count} of ${countThings(total, 'property', 'properties')}`]
  const parts = [...reach, ...(limits === '' ? [] : [limits])].join(', ')
  return { verdict: 'Partly', reason: capitalize(parts), look: 'fair' }
}

/** Describes the limits of what is granted; those of a property count only where each of its entries has some. */
function describeLimits(evidence: readonly Evidence[]): string {
  const limits = new Map<string | undefined, Set<string>>()
  for (const step of evidence) {
    if (step.side !== 'publisher' || step.says !== 'match') continue
    const known = limits.get(step.property_rid) ?? new Set()
    limits.set(step.property_rid, known.add(describeTerms(step)))
  }
  const limited = [...limits.values()].filter(texts => !texts.has(''))
  const texts = new Set(limited.flatMap(texts => [...texts]))
  const [text = ''] = texts
  return texts.size > 1 || limited.length < limits.size ? text && 'some with limits' : text
}

function describeTerms({ countries, placement_ids, placement_tags, ...terms }: Evidence): string {
  const parts = [
    countries && `in ${joinCountries(countries)}`,
    (placement_ids ?? placement_tags) && 'on some placements',
    terms.collection_ids && 'with some collections',
  ].filter(part => part !== undefined)
  return parts.length === 0 ? '' : `only ${parts.join(', ')}`
}

/** Describes the step that decided, about the names in question; `at` is the time of the question. */
function describeReason(
  { rule, text, file, declared, ...terms }: Evidence,
  at: string,
  evidence: readonly Evidence[],
): string {
  const { effective_from: from, effective_until: until } = terms
  if (rule === 'declared_otherwise') return describeDisagreement(declared, evidence)
  if (rule === 'not_in_window' && until && until < at)
    return `The authorization ended on ${formatDate(until)}`
  if (rule === 'not_in_window' && from && from > at)
    return `The authorization starts on ${formatDate(from)}`
  return capitalize(
    toContractions(
      nameFile(clipText(text, 200), file).replace(/, so (?:it|the registry) \S+ tell$/, ''),
    ),
  )
}

/** Says in a text about “the file” which file that is: a reader of a page has not seen its name yet. */
export function nameFile(text: string, file: string | undefined): string {
  const host = parseUrl(file ?? '')?.hostname
  if (host === undefined) return text
  return text.replace(/^the file\b(?! of)/, () => `the adagents.json of ${showDomains(host)}`)
}

/** Describes in which way the agent sells by each side, where both say it in words that can be compared. */
function describeDisagreement(
  declared: Evidence['declared'],
  evidence: readonly Evidence[],
): string {
  const grant = evidence.find(({ side, says }) => side === 'publisher' && says === 'match')
  const granted = grant?.delegation_type && describeSelling(clipText(grant.delegation_type, 30))
  const [own] = declared ?? []
  const stated = own && describeSelling(clipText(own.relationship, 30))
  if (!granted || !stated || granted === stated) return 'The publisher and the operator disagree'
  return `The publisher’s file says the agent ${granted}; the operator’s file says it ${stated}`
}

/** Length of the names of countries for which an arrow of a supply path has room. */
const COUNTRIES_CHARS = 18

/** Describes a step that authorizes a part, of which the question says nothing; undefined for any other. */
export function describeNeeded({ rule, countries = [] }: Evidence) {
  if (rule === 'collection_not_asked')
    return { short: 'some collections', long: 'only with some collections' }
  if (rule === 'placement_not_asked')
    return { short: 'some placements', long: 'only on some placements' }
  if (rule !== 'country_not_asked') return undefined
  const names = countries.map(toCountryName).join(', ')
  return {
    short: `only in ${names.length > COUNTRIES_CHARS ? countThings(countries.length, 'country', 'countries') : names}`,
    long: `only in ${joinCountries(countries)}`,
  }
}

/** Joins the names of countries as a sentence has them. */
function joinCountries(countries: readonly string[]): string {
  const names = countries
    .slice(0, COUNTRIES_NAMED_MAX)
    .map(code => clipText(toCountryInSentence(code), 40))
  const more = countries.length - names.length
  return joinWords(more > 0 ? [...names, `${more} more`] : names)
}

/** Joins a verdict and its reason as the text of a link or a preview. */
export function formatVerdict({ verdict, reason }: Verdict): string {
  return [verdict, reason].filter(part => part !== '').join('. ')
}

export function renderVerdict({ verdict, reason, look }: Verdict): Html {
  return (
    <div class={`verdict ${look}`}>
      <h1>{verdict}</h1>
      {reason === '' ? null : <p>{reason}.</p>}
    </div>
  )
}
