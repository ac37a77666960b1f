import { z } from 'zod'
import { brands } from '../catalogue/brands.ts'
import { type Brief, truncateText } from './build-creative.ts'
import type { Asset, Assets } from './creative.ts'

/** Color of pictures of brands that name none. */
const DEFAULT_COLOR = '#20343B'

const hexColor = /^#[0-9a-f]{6}$/i

/** A brand and its offerings, in the specification's form for generation. */
const Offerings = z.looseObject({
  brand_manifest: z
    .looseObject({
      url: z.string().optional().catch(undefined),
      name: z.string().optional().catch(undefined),
      colors: z.record(z.string(), z.string()).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
  inline_offerings: z
    .array(z.looseObject({ name: z.string(), description: z.string().optional() }))
    .optional()
    .catch(undefined),
})

interface Sources {
  message?: string | undefined
  assets: Assets
  brand?: { domain: string; brand_id?: string | undefined } | undefined
}

/** Reads the material for a creative: the message, assets, and the brand with its offerings. */
export function readBrief({ message, assets, brand }: Sources): Brief {
  const { promoted_offerings, ...own } = assets
  const { brand_manifest: manifest, inline_offerings = [] } = Offerings.parse(
    [promoted_offerings].flat()[0] ?? {},
  )
  const known = brands.find(
    ({ id, house }) => brand && house.domain === brand.domain && (brand.brand_id ?? id) === id,
  )
  const [offering] = inline_offerings
  const colors = [manifest?.colors?.primary, known?.colors.primary]
  const messageTitle = message === undefined ? undefined : extractFirstSentence(message)
  return {
    assets: own,
    headline: readText(own.headline) ?? offering?.name ?? messageTitle,
    body: readText(own.body) ?? offering?.description,
    link: manifest?.url ?? (brand && `https://${brand.domain}/`),
    brandName: manifest?.name ?? known?.names[0]?.en ?? brand?.domain,
    color: colors.find(color => color !== undefined && hexColor.test(color)) ?? DEFAULT_COLOR,
  }
}

/** Tells whether there is anything to make a creative from. */
export function hasContent({ assets, headline, brandName }: Brief): boolean {
  return Object.keys(assets).length > 0 || headline !== undefined || brandName !== undefined
}

function readText(asset: Asset | Asset[] | undefined): string | undefined {
  const content = [asset].flat()[0]?.content
  return typeof content === 'string' && content !== '' ? content : undefined
}

/** Extracts the first sentence of a message, as the headline of a creative that has no other. */
function extractFirstSentence(message: string): string | undefined {
  const [sentence] = message.trim().split(/(?<=[.!?])\s/)
  return sentence ? truncateText(sentence, 60) : undefined
}
