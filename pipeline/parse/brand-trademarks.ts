import { licenseTypes, type Trademark, trademarkStatuses } from '../model/documents/index.ts'
import { readDomain } from './addresses.ts'
import { readCountries } from './countries.ts'
import { quote } from './faults.ts'
import { type ObjectReader, optional } from './object-reader.ts'

/** Descriptions of the required members of a trademark. */
const examples = {
  registry: 'the office, such as uspto',
  number: 'its number there',
  mark: 'the protected name',
}

/** Classes of goods and services in the Nice classification. */
const NICE_CLASSES = 45

export function readTrademarks(root: ObjectReader): Trademark[] {
  return root.parts('trademarks').flatMap(part => parseTrademark(part) ?? [])
}

/**
 * Parses a trademark; undefined if it cannot be looked up in a trademark registry, or if its owner is
 * unclear.
 */
function parseTrademark(part: ObjectReader): Trademark | undefined {
  const registry = part.requiredText('registry')
  const number = part.requiredText('number')
  const mark = part.requiredLabel('mark')
  for (const key of ['registry', 'number', 'mark'] as const) {
    if (!part.has(key))
      part.error(
        key,
        'missing',
        `is missing, so the trademark was left out: write ${examples[key]}`,
      )
  }
  const license = part.has('license_type') ? part.oneOf('license_type', licenseTypes) : 'owned'
  const more = {
    ...optional('status', part.oneOf('status', trademarkStatuses)),
    ...optional('licensor_domain', readLicensor(part)),
    ...optional('countries', readCountries(part)),
    ...optional('nice_classes', readClasses(part)),
  }
  if (registry === undefined || number === undefined || mark === undefined) return undefined
  return license && { registry, number, mark, license_type: license, ...more }
}

function readLicensor(part: ObjectReader): string | undefined {
  return part.has('licensor_domain') ? readDomain(part, 'licensor_domain') : undefined
}

function readClasses(part: ObjectReader): number[] | undefined {
  const written = part.list('nice_classes')
  const isClass = (value: unknown): value is number =>
    Number.isInteger(value) && Number(value) >= 1 && Number(value) <= NICE_CLASSES
  written?.forEach((value, i) => {
    if (isClass(value)) return
    part.error(
      `nice_classes[${i}]`,
      'not_allowed',
      `is ${quote(value)} but must be a number from 1 to ${NICE_CLASSES}`,
    )
  })
  return written && [...new Set(written.filter(isClass))]
}
