import { toAssignedCountry } from '../core/country.ts'
import { quote } from './faults.ts'
import type { ObjectReader } from './object-reader.ts'

/** Matches the form of an ISO 3166-1 alpha-2 code, assigned or not. */
const CODE = /^[A-Z]{2}$/

/**
 * Reads the member `countries`, a restriction: undefined if it is absent, so that there is no restriction.
 * A code that no country has is kept, and admits nobody.
 */
export function readCountries(part: ObjectReader): string[] | undefined {
  const countries = part.restriction('countries')
  const written = Array.isArray(part.value.countries) ? part.value.countries : []
  written.forEach((country, i) => {
    if (typeof country === 'string') checkCountry(part, `countries[${i}]`, country.trim())
  })
  return countries?.filter(country => CODE.test(country))
}

/** Reports a code that is malformed, or that no country has. */
function checkCountry(part: ObjectReader, key: string, code: string): void {
  const country = toAssignedCountry(code)
  if (country === code) return
  const meant = country ?? toAssignedCountry(code.toUpperCase())
  const fix = meant ? `write ${quote(meant)}` : 'use a two-letter country code, such as US'
  const message = `is ${quote(code)}, which is not a country code: ${fix}`
  if (CODE.test(code)) part.warn(key, 'bad_country', message)
  else part.error(key, 'bad_country', message)
}
