import { z } from 'zod'
import { bareHost, type Domain } from '../../pipeline/core/domain.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { membersOf } from '../../pipeline/index/points/members.ts'
import { BrandSetUp, BrandSubmitted } from '../../pipeline/model/answers-hosted.ts'
import { hostedAddress, hostedDomain } from '../../pipeline/model/hosted.ts'
import { type BrandFile, BrandManifest, BrandName, relations } from '../../pipeline/model/save.ts'
import { submitOnce } from '../attempt.ts'
import { readBrandFile } from '../brand-file.ts'
import { PastedDomain } from '../fields.ts'
import { liveBrand } from '../live-brand.ts'
import { operation } from '../operation.ts'
import { ok } from '../reply.ts'
import type { Services } from '../services.ts'
import { bounded, editorOf, SavedDomain, saveErrors } from './saves.ts'

const LogoAddress = z
  .url({ protocol: /^https$/ })
  .max(2_048)
  .refine(text => {
    // Asked also of what is no address, which is told already.
    if (!URL.canParse(text)) return true
    const { username, password } = new URL(text)
    return username === '' && password === ''
  }, 'must not carry a user name or password')

export const setUpBrand = operation({
  id: 'setUpBrand',
  method: 'POST',
  path: '/api/brands/setup-my-brand',
  group: 'Brand Resolution',
  summary: 'Have the registry serve the brand.json of your brand',
  description:
    'Where the domain publishes a file of its own nothing is saved. Otherwise the file that is given ' +
    'is kept, without whom to write to; else the one that was kept before; else one is made of the ' +
    'rest. Serve `pointer_snippet` as /.well-known/brand.json, and it is the domain’s own. Your ' +
    'organization must have shown that the domain, or one above it, is its own (403).',
  access: 'bearer',
  writes: true,
  quota: 'saves',
  cache: 'none',
  body: z.object({
    domain: PastedDomain.transform(text => bareHost(text) as Domain),
    brand_name: BrandName,
    brand_json: bounded(z.record(z.string(), z.unknown())).exactOptional(),
    logo_url: LogoAddress.exactOptional(),
    brand_color: z
      .string()
      .regex(/^#[0-9a-fA-F]{6}$/, 'must be a colour such as #1a2b3c')
      .exactOptional(),
  }),
  reply: { 200: BrandSetUp },
  errors: [...saveErrors, 'forbidden'],
  handle: async ({ body, principal, attempt, caller, services }) => {
    const { domain, brand_name } = body
    if (principal.org_id === undefined) {
      return refuse('forbidden', 'only an organization sets a brand up', { domain })
    }
    const handed = body.brand_json && readBrandFile(body.brand_json, domain)
    const address = hostedAddress(services.baseUrl(), 'brand.json', domain)
    const answer = {
      domain,
      hosted_brand_json_url: address,
      pointer_snippet: JSON.stringify({ authoritative_location: address }, null, 2),
    }
    if (await publishesItself(domain, caller(), services))
      return ok({ ...answer, has_brand_json: true })
    const save = { op: 'brand.save', revision_id: attempt, domain, brand_name } as const
    const editor = editorOf(principal)
    const brand = handed ? keptOf(handed) : madeOf(body)
    await submitOnce(services, attempt, { ...save, editor, ...brand }, { domain })
    return ok({ ...answer, has_brand_json: false })
  },
})

/** Whether the domain serves a brand.json now that is not the one which is kept for it here. */
async function publishesItself(
  domain: Domain,
  caller: string,
  services: Services,
): Promise<boolean> {
  const live = await liveBrand(domain, caller, services)
  if (live.resolution === null) return false
  const leads = live.data.authoritative_location
  if (live.variant !== 'authoritative_location' || typeof leads !== 'string') return true
  const source = { kind: 'brand.json', location: leads } as const
  return hostedDomain(services.baseUrl(), source) !== domain
}

function keptOf({ brand, file, document }: ReturnType<typeof readBrandFile>) {
  const brand_json: BrandFile = { file, document }
  return { brand_json, brand_manifest: brand.manifest }
}

/** Nothing that was told before is lost where neither a logo nor a colour is given. */
function madeOf({ logo_url, brand_color }: { logo_url?: string; brand_color?: string }) {
  if (logo_url === undefined && brand_color === undefined) return {}
  return {
    brand_manifest: {
      ...(logo_url !== undefined && { logos: [{ url: logo_url, tags: ['primary'] }] }),
      ...(brand_color !== undefined && { colors: { primary: brand_color } }),
    },
  }
}

export const submitBrand = operation({
  id: 'submitBrand',
  method: 'POST',
  path: '/api/brands/discovered/community',
  group: 'Brand Discovery',
  summary: 'Submit a brand that nobody has told of yet',
  description:
    'For members. A moderator looks at it before anybody else sees it. 409 where the brand is known, ' +
    'or waits already.',
  access: 'bearer',
  writes: true,
  quota: 'saves',
  cache: 'none',
  body: z.object({
    domain: SavedDomain,
    brand_name: BrandName.exactOptional(),
    ...relations,
    brand_manifest: bounded(BrandManifest).exactOptional(),
  }),
  reply: { 200: BrandSubmitted },
  errors: [
    ...saveErrors.filter(error => error !== 'ownership_proof_required'),
    'forbidden' as const,
  ],
  handle: async ({ body, principal, attempt, services }) => {
    const { domain, brand_name = domain, ...told } = body
    const { org_id } = principal
    if (!membersOf(services.reader).all.some(member => member.org_id === org_id)) {
      return refuse('forbidden', 'only members submit brands', { domain })
    }
    const submit = { op: 'brand.submit', revision_id: attempt, domain, brand_name } as const
    const editor = editorOf(principal)
    const done = await submitOnce(services, attempt, { ...submit, editor, ...told }, { domain })
    const review_status = 'pending'
    const brand = { id: done.review_id, domain, brand_name, source: 'community', review_status }
    return ok({ brand, review_status })
  },
})
