import { isDeepStrictEqual } from 'node:util'
import { isObject, type JsonObject } from '../parse/object-reader.ts'
import type { Check, Judged } from './judged.ts'
import { readPath } from './read-path.ts'

/**
 * Checks that an agent takes a purchase whose packages choose formats of their products, and refuses another
 * one for that reason. The products are those of an earlier answer.
 */
export const formatSatisfaction: Check<'canonical_format_satisfaction'> = (
  { value: isWanted, path = 'packages' },
  judged,
) => {
  const { error, payload } = judged.outcome
  const packages = readPath(judged.request, path).flat().filter(isObject)
  const isFitting = packages.length > 0 && packages.every(item => hasItsFormats(item, judged))
  if (isFitting !== isWanted) {
    const expected = isWanted ? 'formats of the product' : 'formats that the product lacks'
    return { passed: false, expected, actual: packages[0], path }
  }
  const isAccepted = error === undefined
  const named = JSON.stringify([error?.code, error?.message, error?.body, payload.errors])
  return {
    passed: isAccepted === isWanted && (isAccepted || /format/i.test(named)),
    expected: isWanted ? 'the purchase is accepted' : 'a refusal that names the format',
    actual: isAccepted ? 'accepted' : (error.message ?? error.code ?? 'refused'),
  }
}

/** Tells whether a package chooses only formats of its product; one that chooses none takes all of them. */
function hasItsFormats(item: JsonObject, { values }: Judged): boolean {
  const product = list(values.get('products')).find(
    ({ product_id }) => product_id === item.product_id,
  )
  if (product === undefined) return false
  const options = list(product.format_options)
  const refs = list(item.format_option_refs)
  if (refs.length > 0) return refs.every(ref => options.some(option => isNamedBy(ref, option)))
  const ids = list(item.format_ids)
  if (ids.length > 0) {
    const own =
      options.length > 0
        ? options.flatMap(({ v1_format_ref }) => list(v1_format_ref))
        : list(product.format_ids)
    return ids.every(id => own.some(known => isSameFormat(id, known)))
  }
  return item.format_kind === undefined || options.some(option => isSatisfied(item, option))
}

const list = (value: unknown) => (Array.isArray(value) ? value.filter(isObject) : [])

function isNamedBy(ref: JsonObject, option: JsonObject): boolean {
  const publisher = ref.scope === 'publisher' ? ref.publisher_domain : undefined
  return option.format_option_id === ref.format_option_id && option.publisher_domain === publisher
}

const formatMembers = ['agent_url', 'id', 'width', 'height', 'duration_ms']
const isSameFormat = (id: JsonObject, other: JsonObject) =>
  formatMembers.every(name => isDeepStrictEqual(id[name], other[name]))

/** Tells whether a format that a buyer describes keeps to everything that an option demands. */
function isSatisfied({ format_kind, params }: JsonObject, option: JsonObject): boolean {
  if (option.format_kind !== format_kind) return false
  const [asked, demanded] = [params, option.params].map(value =>
    isObject(value) ? value : {},
  ) as [JsonObject, JsonObject]
  return Object.entries(demanded).every(([name, demand]) => isDemandMet(name, demand, asked))
}

/** Tells whether a buyer’s parameters meet a demand, which may have another name: a bound, a range, a list of sizes. */
function isDemandMet(name: string, demand: unknown, asked: JsonObject): boolean {
  const { width, height, duration_ms } = asked
  const [, bound, of = ''] = /^(min|max)_(width|height)$/.exec(name) ?? []
  if (bound !== undefined) {
    const [size, limit] = [Number(asked[of] ?? Number.NaN), Number(demand)]
    return bound === 'min' ? size >= limit : size <= limit
  }
  if (name === 'sizes') {
    return list(demand).some(size => size.width === width && size.height === height)
  }
  if (name === 'duration_ms_range' && Array.isArray(demand)) {
    const [from, to] = demand.map(Number) as [number, number]
    return Number(duration_ms) >= from && Number(duration_ms) <= to
  }
  if (name === 'duration_ms_exact') return duration_ms === demand
  const value = asked[name]
  return Array.isArray(demand) && Array.isArray(value)
    ? value.length > 0 && value.every(item => demand.some(other => isDeepStrictEqual(item, other)))
    : isDeepStrictEqual(value, demand)
}
