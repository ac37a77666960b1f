import { z } from 'zod'
import { type Domain, stripHostPrefix } from '../../../pipeline/core/domain.ts'
import { refuse } from '../../../pipeline/core/errors.ts'
import { parseUrl } from '../../../pipeline/core/url.ts'
import { buildHostedAddress, parseHostedDomain } from '../../../pipeline/model/hosted.ts'
import { BrandSetUp, BrandSubmitted } from '../../../pipeline/model/responses/hosted.ts'
import {
  type BrandFile,
  BrandManifest,
  BrandName,
  relations,
} from '../../../pipeline/model/save.ts'
import { findOwnership } from '../../../pipeline/read/lookups/ownership.ts'
import { toEditor } from '../../auth/editor.ts'
import { assertMember } from '../../auth/membership.ts'
import { OrganizationQuery } from '../../auth/organization-query.ts'
import type { readBrandFile } from '../../inputs/brand-file.ts'
import { PastedDomain } from '../../inputs/fields.ts'
import { resolveLiveBrand } from '../../live/resolve-live-brand.ts'
import { toTaskOrigin } from '../../operation/answering.ts'
import { submitIdempotent } from '../../operation/idempotency.ts'
import { defineOperation } from '../../operation/operation.ts'
import type { Services } from '../../operation/services.ts'
import { replyOk } from '../../responses/reply.ts'
import { explainPointerFault } from '../community/hosted.ts'
import { boundSchema, SavedDomain, saveErrors } from '../community/saves.ts'

const LogoAddress = z
  .url({ protocol: /^https$/ })
  .max(2_048)
  .refine(text => {
    // This check also runs on text that is not a URL, which was reported already.
    const url = parseUrl(text)
    return !url || (url.username === '' && url.password === '')
  }, 'must not contain a user name or password')

export const setUpBrand = defineOperation({
  id: 'setUpBrand',
  method: 'POST',
  path: '/api/brands/setup-my-brand',
  group: 'Brand Resolution',
  summary: 'Publish a brand.json that the registry hosts for your brand',
  description:
    'If the domain publishes its own file, nothing is saved. Otherwise the given file is ' +
    'stored, without its contacts; if none is given, the stored file is kept, or a file is ' +
    'built from the other fields. To adopt the file, publish `pointer_snippet` as /.well-known/brand.json. Your ' +
    'organization must have verified the domain or a parent domain (403).',
  access: 'bearer',
  writes: true,
  quota: 'saves',
  cache: 'none',
  query: OrganizationQuery,
  body: z.object({
    domain: PastedDomain.transform(text => stripHostPrefix(text) as Domain),
    brand_name: BrandName.describe('Brand name, as shown to everyone'),
    brand_json: boundSchema(z.record(z.string(), z.unknown()))
      .exactOptional()
      .describe('The file to host, as it will be served; at most 100 KB'),
    logo_url: LogoAddress.exactOptional().describe(
      'URL of the brand’s logo; only without `brand_json`',
    ),
    brand_color: z
      .string()
      .regex(/^#[0-9a-fA-F]{6}$/, 'must be a color such as #1a2b3c')
      .exactOptional()
      .describe('Main color of the brand as `#RRGGBB`; only without `brand_json`'),
  }),
  reply: { 200: BrandSetUp },
  errors: [...saveErrors, 'forbidden'],
  handle: async ({ body, principal, submissionId, bodyBytes, caller, services }) => {
    const { domain, brand_name } = body
    if (principal.org_id === undefined) {
      return refuse('forbidden', 'only organizations may set up a brand', { domain })
    }
    const origin = toTaskOrigin({ principal, bodyBytes, caller })
    const handed =
      body.brand_json &&
      (await services.workers.run('readBrandFile', origin, body.brand_json, domain))
    const address = buildHostedAddress(services.baseUrl(), 'brand.json', domain)
    const answer = {
      domain,
      hosted_brand_json_url: address,
      ...describePointer(services.baseUrl(), address),
    }
    // The writer refuses the save of others: nothing is asked for them.
    const { reader, config } = services
    const { proven } = findOwnership(reader, principal.org_id, domain, config.LIMITS.proofDays)
    if (proven && (await isPublishingItself(domain, caller(), services)))
      return replyOk({ ...answer, has_brand_json: true })
    const save = { op: 'brand.save', revision_id: submissionId, domain, brand_name } as const
    const editor = toEditor(principal)
    const brand = handed ? toSavedFile(handed) : buildManifest(body)
    await submitIdempotent(services, submissionId, { ...save, editor, ...brand }, { domain })
    return replyOk({ ...answer, has_brand_json: false })
  },
})

/** Describes the pointer to publish, or why none would be followed. */
function describePointer(baseUrl: string, address: string) {
  const detail = explainPointerFault(baseUrl)
  if (detail !== undefined) return { pointer_snippet: '', detail }
  return { pointer_snippet: JSON.stringify({ authoritative_location: address }, null, 2) }
}

/** Tells whether the domain now serves a brand.json other than the one hosted for it here. */
async function isPublishingItself(
  domain: Domain,
  caller: string,
  services: Services,
): Promise<boolean> {
  const { answer: live } = await resolveLiveBrand(domain, caller, services)
  if (live.resolution === null) return false
  const leads = live.data.authoritative_location
  if (live.variant !== 'authoritative_location' || typeof leads !== 'string') return true
  const source = { kind: 'brand.json', location: leads } as const
  return parseHostedDomain(services.baseUrl(), source) !== domain
}

function toSavedFile({ brand, file, document }: ReturnType<typeof readBrandFile>) {
  const brand_json: BrandFile = { file, document }
  return { brand_json, brand_manifest: pickValid(brand.manifest) }
}

/** Leaves out what the checker only warns about: the file is served with it, and read without. */
function pickValid(manifest: object): z.infer<typeof BrandManifest> {
  const members = Object.entries(manifest).map(
    ([name, value]) => BrandManifest.safeParse({ [name]: value }).data,
  )
  return Object.assign({}, ...members)
}

/** Builds the manifest; if neither a logo nor a color is given, the saved one stays. */
function buildManifest({ logo_url, brand_color }: { logo_url?: string; brand_color?: string }) {
  if (logo_url === undefined && brand_color === undefined) return {}
  return {
    brand_manifest: {
      ...(logo_url !== undefined && { logos: [{ url: logo_url, tags: ['primary'] }] }),
      ...(brand_color !== undefined && { colors: { primary: brand_color } }),
    },
  }
}

export const submitBrand = defineOperation({
  id: 'submitBrand',
  method: 'POST',
  path: '/api/brands/discovered/community',
  group: 'Brand Discovery',
  summary: 'Submit a brand that the registry does not know yet',
  description:
    'For members. A moderator reviews the brand before anyone else sees it. Returns 409 if the brand is known or already waiting for review.',
  access: 'bearer',
  writes: true,
  quota: 'saves',
  cache: 'none',
  body: z.object({
    domain: SavedDomain,
    brand_name: BrandName.exactOptional().describe('Name of the brand; defaults to its domain'),
    ...relations,
    brand_manifest: boundSchema(BrandManifest)
      .exactOptional()
      .describe('Logos, colors, texts and other facts about the brand, at most 100 KB'),
  }),
  reply: { 200: BrandSubmitted },
  errors: [
    ...saveErrors.filter(error => error !== 'ownership_proof_required'),
    'forbidden' as const,
  ],
  handle: async ({ body, principal, submissionId, services }) => {
    const { domain, brand_name = domain, ...details } = body
    assertMember(services.reader, principal, 'submit brands', domain)
    const submit = { op: 'brand.submit', revision_id: submissionId, domain, brand_name } as const
    const editor = toEditor(principal)
    const done = await submitIdempotent(
      services,
      submissionId,
      { ...submit, editor, ...details },
      { domain },
    )
    const review_status = 'pending'
    const brand = { id: done.review_id, domain, brand_name, source: 'community', review_status }
    return replyOk({ brand, review_status })
  },
})
