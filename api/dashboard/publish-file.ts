import type { Instant } from '../../pipeline/core/clock.ts'
import { countThings } from '../../pipeline/core/counts.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import type { ProposedKind } from '../../pipeline/model/proposed-kind.ts'
import type { Contact } from '../../pipeline/model/save.ts'
import { checkFile } from '../../pipeline/parse/check-file.ts'
import { findOwnBrand } from '../inputs/brand-file.ts'
import { countHosted, isAboutHosted, listOwnProperties } from '../inputs/hosted-part.ts'
import { parseFormDomain } from '../inputs/workshop-form.ts'
import { findDraft, NO_DRAFT } from '../pages/draft.ts'
import { describePlaceholder } from '../pages/example-file.ts'
import type { Html } from '../pages/html/jsx.ts'
import { describeNothingHosted } from '../pages/own-file.ts'
import { renderMarkedLines } from '../pages/parts/marked-lines.tsx'
import type { ApiAnswer } from './call-api.ts'
import type { OrganizationRequest } from './dashboard-request.ts'
import { readContact } from './hosted-preview.tsx'
import { type DashboardAnswer, type DoneName, toEntryPath } from './page.tsx'

/** A file that a member wants hosted. */
interface Published {
  kind: ProposedKind
  domain: Domain
  text: string
  /** Name of the brand, for a brand.json that has none. */
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

/** Parts of a file that are saved. */
interface Filed {
  properties: readonly FiledProperty[]
  contact?: Contact | undefined
  /** The lines that the checker warns about. */
  marked?: Html
}

/** Saves the properties and the contact of a file, in the form that the operation takes. */
function saveProperties(
  { callApi, org }: Pick<OrganizationRequest, 'callApi' | 'org'>,
  domain: Domain,
  { properties: filed, contact }: Filed,
): Promise<ApiAnswer<Record<string, unknown>>> {
  const properties = filed.map(({ property_id, property_type, name, identifiers, tags }) => ({
    type: property_type,
    name,
    ...(property_id !== undefined && { id: property_id }),
    identifiers,
    ...(tags !== undefined && { tags }),
  }))
  const payload = { publisher_domain: domain, properties, ...(contact && { contact }) }
  return callApi({ method: 'POST', url: '/api/properties/save', query: org, payload })
}

/**
 * Finds the name of the brand in a brand.json: that of its only brand, else that of the house. Undefined if the file
 * names neither, or cannot be read.
 */
export function findBrandName(
  { domain, text }: Pick<Published, 'domain' | 'text'>,
  now: Instant,
): string | undefined {
  const context = { domain, now, maxFaults: 1 }
  const { document } = checkFile('brand.json', Buffer.from(text), context)
  if (document?.variant === 'brand_canonical') return document.brand.name
  if (document?.variant !== 'house_portfolio') return undefined
  const { brands, house } = document
  const [only] = brands.length === 1 ? brands : []
  return only === undefined || only.names.length === 0 ? house.name : only.name
}

/** Reason why a file was not published. */
interface NotPublished {
  fault: string
  marked?: Html
  /** True if the organization has to verify the domain first. */
  needsProof?: boolean
}

/** Checks a file like the crawler; returns why it cannot be published, or what of it would be saved. */
export function checkPublished(
  { kind, domain, text }: Published,
  now: Instant,
): NotPublished | Filed {
  const context = { domain, now, maxFaults: 50 }
  const { valid, errors, warnings, document } = checkFile(kind, Buffer.from(text), context)
  const shown = warnings.filter(warning => isAboutHosted(kind, warning))
  const marks = renderMarkedLines(text, [...errors, ...shown])
  const marked = marks === null ? {} : { marked: marks }
  if (!valid) {
    const found = countThings(errors.length, 'error')
    return {
      fault: `This file has ${found}. Fix ${errors.length === 1 ? 'it' : 'them'} to continue.`,
      ...marked,
    }
  }
  const placeholder = describePlaceholder(text)
  if (placeholder !== undefined) return { fault: placeholder, ...marked }
  if (kind === 'brand.json') {
    return findOwnBrand(document, domain) === undefined
      ? { fault: `Only a brand or the house ${domain} with its brands can be hosted.`, ...marked }
      : { properties: [], ...marked }
  }
  if (document?.variant !== 'inline' || countHosted(document, domain, now) === 0)
    return { fault: describeNothingHosted(domain), ...marked }
  const properties = listOwnProperties(document, domain)
  return { properties, contact: readContact(JSON.parse(text)), ...marked }
}

/**
 * Checks a file and saves it for the organization through the API. Returns the notice about that, or why it was
 * not published.
 */
export async function publishFile(
  { callApi, org, services }: Pick<OrganizationRequest, 'callApi' | 'org' | 'services'>,
  published: Published,
): Promise<{ done: DoneName } | NotPublished> {
  const { kind, domain, text, brandName = '' } = published
  const checked = checkPublished(published, services.clock.now())
  if ('fault' in checked) return checked
  if (kind === 'adagents.json') {
    return describeSaved(await saveProperties({ callApi, org }, domain, checked), 'published')
  }
  const brand_name = findBrandName(published, services.clock.now()) ?? brandName
  const payload = { domain, brand_name, brand_json: JSON.parse(text) as object }
  const url = '/api/brands/setup-my-brand'
  const saved = await callApi({ method: 'POST', url, query: org, payload })
  return saved.body.has_brand_json === true
    ? { fault: 'The domain serves its own brand.json, which takes precedence.' }
    : describeSaved(saved, 'brand_published')
}

/**
 * Publishes the file whose review a person has seen, once its domain is verified; undefined if this browser has
 * none, or if it cannot be published as it is.
 */
export async function publishReviewed(
  context: OrganizationRequest,
  verified: Domain,
): Promise<DashboardAnswer | undefined> {
  const draft = await findDraft(context.request.headers.cookie, context.services)
  const domain = draft?.isReviewed && parseFormDomain(draft.domain)
  if (!draft || domain !== verified) return undefined
  const published = await publishFile(context, { ...draft, domain })
  if (!('done' in published)) return undefined
  const done = published.done === 'pending' ? 'pending' : 'verified_published'
  return { next: toEntryPath(context.org.org, domain), done, cookie: NO_DRAFT }
}

function describeSaved(
  { refused, body }: ApiAnswer<Record<string, unknown>>,
  done: DoneName,
): { done: DoneName } | NotPublished {
  if (refused === undefined) return { done: body.review_status === 'pending' ? 'pending' : done }
  return { fault: refused, needsProof: body.code === 'ownership_proof_required' }
}
