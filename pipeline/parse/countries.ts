import { toAssignedCountry } from '../core/country.ts'
import { quote } from './faults.ts'
import type { ObjectReader } from './object-reader.ts'

const CODE = /^[A-Z]{2}$/

/**
 * Reads the countries that something is limited to; undefined when it is limited to none. An unknown code
 * stays as written, and admits nothing.
 */
export function readCountries(part: ObjectReader): string[] | undefined {
  const countries = part.restriction('countries')
  const written = Array.isArray(part.value.countries) ? part.value.countries : []
  written.forEach((country, i) => {
    if (typeof country === 'string') check(part, `countries[${i}]`, country.trim())
  })
  return countries?.filter(country => CODE.test(country))
}

function check(part: ObjectReader, key: string, code: string): void {
  const country = toAssignedCountry(code)
  if (country === code) return
  if (!CODE.test(code)) {
    const rule = 'must be a country code of two capital letters such as GB'
    part.error(key, 'bad_country', `is ${quote(code)}, ${rule}`)
  } else {
    const instead = country ?? 'the code of a country, such as GB'
    part.warn(key, 'bad_country', `is ${quote(code)}, by which nobody can ask: write ${instead}`)
  }
}
