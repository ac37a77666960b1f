import { brandFiles } from '../model/brand-file/brand-file.ts'
import type { Fault } from '../model/observation.ts'
import { quote } from './faults.ts'
import { isObject, type JsonObject, type ObjectReader } from './object-reader.ts'

/** Forms of a brand.json in which no other members may be. */
type ClosedForm = Exclude<keyof typeof brandFiles, 'brand_canonical'>

const { house, brands } = brandFiles.house_portfolio.shape
const houseKeys = new Set(Object.keys(house.shape))
const brandKeys = new Set(Object.keys(brands.unwrap().element.shape))
const portfolioKeys = new Set(Object.keys(brandFiles.house_portfolio.shape))
/** Keys that a pointer's target may have. */
const contentKeys = new Set([
  ...portfolioKeys,
  ...brandKeys,
  ...Object.keys(brandFiles.brand_agent.shape),
  ...Object.keys(brandFiles.brand_canonical.shape),
])
const knownKeys = new Set([
  ...contentKeys,
  ...houseKeys,
  ...Object.values(brandFiles).flatMap(({ shape }) => Object.keys(shape)),
])

/** Reports the members that a form of a brand.json may not have; other keys in `allowed` may be there. */
export function reportMisplaced(
  root: ObjectReader,
  form: ClosedForm,
  { allowed = {}, severity = 'error' }: { allowed?: object; severity?: Fault['severity'] } = {},
): void {
  const meant = findMeant(root.value, form)
  const { shape } = brandFiles[meant]
  const identifying = findIdentifying(root.value, meant)
  for (const key of Object.keys(root.value)) {
    if (Object.hasOwn(shape, key) || Object.hasOwn(allowed, key)) continue
    const message = knownKeys.has(key)
      ? `is not allowed in a file with ${quote(identifying)}: ${proposePlace(key, meant)}`
      : 'is an unknown field: remove it'
    root[severity === 'error' ? 'error' : 'warn'](key, 'misplaced', message)
  }
}

/** Finds the form that a file with agents is meant to have where its house cannot be read. */
export function findMeant({ house }: JsonObject, form: ClosedForm): ClosedForm {
  if (form !== 'brand_agent' || house === undefined) return form
  return isObject(house) ? 'house_portfolio' : 'house_redirect'
}

/** Finds the member by which a file has its form. */
function findIdentifying(file: JsonObject, form: ClosedForm): string {
  if (form === 'authoritative_location') return form
  if (form !== 'brand_agent') return 'house'
  return file.agents === undefined ? 'brand_agent' : 'agents'
}

/** Proposes what to do with a known member that has another place, so that it is kept where it can be. */
function proposePlace(key: string, form: ClosedForm): string {
  const place = findPlace(key, form)
  return place === undefined ? 'remove it' : `${place}, or remove it`
}

function findPlace(key: string, form: ClosedForm): string | undefined {
  switch (form) {
    case 'authoritative_location':
      return contentKeys.has(key) ? 'move it to the file at that URL' : undefined
    case 'house_redirect':
      return contentKeys.has(key) ? 'move it to the brand.json of that house' : undefined
    case 'house_portfolio': {
      if (!houseKeys.has(key)) return brandKeys.has(key) ? 'move it into a brand' : undefined
      return brandKeys.has(key) ? 'move it into "house" or a brand' : 'move it into "house"'
    }
    case 'brand_agent':
      if (brandKeys.has(key) || key === 'house_domain')
        return 'add "id" and "names" if this is the file of a brand'
      return portfolioKeys.has(key) ? 'add "house" and move the agents into it' : undefined
  }
}

/** Proposes what to do with a member of a house's file in the file of a single brand. */
export function proposePlaceOfHouse(key: string, value: unknown): string {
  if (key === 'house') {
    const named = isObject(value) ? value.domain : value
    return `write "house_domain": ${quote(typeof named === 'string' ? named : 'acme.example')} instead`
  }
  return portfolioKeys.has(key) && key !== '$schema'
    ? 'move it to the brand.json of the house, or remove it'
    : 'remove it'
}
