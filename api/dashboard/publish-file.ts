import type { Domain } from '../../pipeline/core/domain.ts'
import { checkFile, type ProposedKind } from '../../pipeline/parse/check-file.ts'
import type { Html } from '../pages/html/jsx.ts'
import { renderMarkedLines } from '../pages/parts/marked-lines.tsx'
import type { OrganizationRequest } from './dashboard-request.ts'

/** A file that a member wants hosted. */
interface Published {
  kind: ProposedKind
  domain: Domain
  text: string
  /** Name of the brand, for a brand.json. */
  brandName?: string
}

/** A property as files have it. */
interface FiledProperty {
  property_id?: string | undefined
  property_type: string
  name: string
  identifiers: readonly object[]
  tags?: readonly string[] | undefined
}

/** Saves the properties of a file, in the form that the operation takes. */
export function saveProperties(
  { callApi, org }: Pick<OrganizationRequest, 'callApi' | 'org'>,
  domain: Domain,
  filed: readonly FiledProperty[],
): Promise<{ refused: string | undefined }> {
  const properties = filed.map(({ property_id, property_type, name, identifiers, tags }) => ({
    type: property_type,
    name,
    ...(property_id !== undefined && { id: property_id }),
    identifiers,
    ...(tags !== undefined && { tags }),
  }))
  const payload = { publisher_domain: domain, properties }
  return callApi({ method: 'POST', url: '/api/properties/save', query: org, payload })
}

/**
 * Checks a file and saves it for the organization through the API. Returns why it was not published, or
 * undefined if it was.
 */
export async function publishFile(
  { callApi, org, services }: Pick<OrganizationRequest, 'callApi' | 'org' | 'services'>,
  { kind, domain, text, brandName = '' }: Published,
): Promise<{ fault: string; marked?: Html } | undefined> {
  const context = { domain, now: services.clock.now(), maxFaults: 50 }
  const { valid, errors, warnings, document } = checkFile(kind, Buffer.from(text), context)
  const marked = renderMarkedLines(text, [...errors, ...warnings])
  if (!valid) return { fault: 'Fix the issues first.', ...(marked && { marked }) }
  if (kind === 'brand.json') {
    const payload = { domain, brand_name: brandName, brand_json: JSON.parse(text) as object }
    const url = '/api/brands/setup-my-brand'
    const saved = await callApi({ method: 'POST', url, query: org, payload })
    if (saved.refused !== undefined) return { fault: saved.refused }
    const isOwn = saved.body.has_brand_json === true
    return isOwn
      ? { fault: 'The domain serves its own brand.json, which takes precedence.' }
      : undefined
  }
  if (document === undefined || document.variant !== 'inline')
    return { fault: 'It lists no properties.', ...(marked && { marked }) }
  const saved = await saveProperties({ callApi, org }, domain, document.properties)
  return saved.refused === undefined ? undefined : { fault: saved.refused }
}
