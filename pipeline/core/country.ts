/** Made when a country is first looked up: it loads the names of a language, for 13 ms. */
let names: Intl.DisplayNames | undefined
const CODE = /^[A-Z]{2}$/
const NOBODY = 'ZZ'

/** Known codes by their spelling: `UK` is GB, and `ZZ` and others stand for no country. */
const known = new Map<string, string | undefined>()

/**
 * Returns the assigned code for a two-letter country code; they differ for alternative codes such as
 * `UK` of GB. Undefined if it is no country.
 */
export function toAssignedCountry(code: string): string | undefined {
  if (!CODE.test(code)) return undefined
  if (!known.has(code)) known.set(code, lookUp(code))
  return known.get(code)
}

function lookUp(code: string): string | undefined {
  const [canonical = ''] = Intl.getCanonicalLocales(`und-${code}`)
  const country = canonical.slice('und-'.length)
  names ??= new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  return country === NOBODY || names.of(country) === undefined ? undefined : country
}
