import { type AuthorizedOperator, operatorScopes } from '../model/documents/index.ts'
import { readDomain } from './addresses.ts'
import { readCountries } from './countries.ts'
import { quote } from './faults.ts'
import { type ObjectReader, optional } from './object-reader.ts'
import { proposeNearest } from './suggestions.ts'

const knownScopes: ReadonlySet<string> = new Set(operatorScopes)

/** Reads the operators of a house's brands, whose ids are given. Contacts are not read. */
export function readOperators(
  root: ObjectReader,
  brandIds: readonly string[],
): AuthorizedOperator[] {
  const ids = new Set(['*', ...brandIds])
  return root.parts('authorized_operators').flatMap(part => parseOperator(part, ids) ?? [])
}

/** Parses an operator. Undefined when its domain, brands or times are unclear. */
function parseOperator(
  part: ObjectReader,
  ids: ReadonlySet<string>,
): AuthorizedOperator | undefined {
  const domain = readDomain(part, 'domain')
  const brands = part.texts('brands') ?? []
  if (brands.length === 0 && !part.isReported('brands'))
    part.error('brands', 'empty', 'must list ids of brands, or * for all of them')
  for (const id of brands) {
    if (!ids.has(id))
      part.warn(
        'brands',
        'unresolved',
        `names ${quote(id)}, which is not a brand in this file${proposeNearest(id, ids)}`,
      )
  }
  const scopes = readScopes(part)
  const countries = readCountries(part)
  const window = readWindow(part)
  if (domain === undefined || brands.length === 0 || window === undefined) return undefined
  return {
    domain,
    brands,
    ...optional('countries', countries),
    ...optional('scopes', scopes),
    ...window,
  }
}

function readScopes(part: ObjectReader): AuthorizedOperator['scopes'] {
  const scopes = part.restriction('scopes')
  const unknown = scopes?.filter(scope => !knownScopes.has(scope)) ?? []
  for (const scope of unknown) part.notAllowed('scopes', scope, operatorScopes, 'has')
  return scopes && operatorScopes.filter(scope => scopes.includes(scope))
}

function readWindow(
  part: ObjectReader,
): Pick<AuthorizedOperator, 'valid_from' | 'valid_until'> | undefined {
  const from = part.limit('valid_from')
  const until = part.limit('valid_until')
  const isUnclear =
    (part.has('valid_from') && from === undefined) ||
    (part.has('valid_until') && until === undefined)
  if (isUnclear) return undefined
  if (from !== undefined && until !== undefined && Date.parse(until) <= Date.parse(from)) {
    part.error(
      'valid_until',
      'out_of_order',
      'is not after valid_from, so the operator is never in force: write a later time',
    )
  }
  return { ...optional('valid_from', from), ...optional('valid_until', until) }
}
