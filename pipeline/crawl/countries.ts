import { quote } from './faults.ts'
import type { Part } from './part.ts'

const COUNTRY = /^[A-Z]{2}$/

/** The countries that something is limited to; undefined when it is limited to none. */
export function readCountries(part: Part): string[] | undefined {
  const countries = part.restriction('countries')
  const written = Array.isArray(part.value.countries) ? part.value.countries : []
  written.forEach((country, i) => {
    if (typeof country !== 'string' || COUNTRY.test(country.trim())) return
    const rule = 'must be a country code of two capital letters such as GB'
    part.error(`countries[${i}]`, 'bad_country', `is ${quote(country)}, ${rule}`)
  })
  return countries?.filter(country => COUNTRY.test(country))
}
