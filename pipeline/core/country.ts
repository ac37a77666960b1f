const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
const CODE = /^[A-Z]{2}$/
const NOBODY = 'ZZ'

/** Codes by what they are written as: `UK` is GB, and `ZZ` and others stand for no country. */
const known = new Map<string, string | undefined>()

/**
 * The code that a country of two capital letters is asked for by: another one where a code is only a
 * second name, as `UK` is of GB. Undefined when it stands for no country.
 */
export function toAssignedCountry(code: string): string | undefined {
  if (!CODE.test(code)) return undefined
  if (!known.has(code)) known.set(code, lookUp(code))
  return known.get(code)
}

function lookUp(code: string): string | undefined {
  const [canonical] = Intl.getCanonicalLocales(`und-${code}`)
  const country = canonical!.slice('und-'.length)
  return country === NOBODY || names.of(country) === undefined ? undefined : country
}
