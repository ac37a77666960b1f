import { requireValue } from '../../../pipeline/core/present.ts'
import type { Format, FormatAsset } from '../catalogue/formats.ts'
import { TaskError } from '../errors.ts'
import type { TaskContext } from '../task-context.ts'
import { toFormatId } from '../tasks/format-id.ts'
import { assertMatchesFormat, checkAssets } from './check-manifest.ts'
import type { Asset, Assets, Manifest } from './creative.ts'
import { chooseTextColor, drawPicture, savePicture } from './draw-picture.ts'
import { writeVast } from './vast.ts'

/** Everything that a creative is made of. */
export interface Brief {
  assets: Assets
  headline?: string | undefined
  body?: string | undefined
  link?: string | undefined
  brandName?: string | undefined
  /** Background of drawn pictures, as `#RRGGBB`. */
  color: string
}

/**
 * Makes a creative in a format. Fitting assets are copied; texts are shortened; a picture of another size
 * is drawn again, since no pictures are edited here. Throws if something is missing that cannot be made.
 */
export function buildCreative(format: Format, brief: Brief, context: TaskContext): Manifest {
  const entries = format.assets.map(
    wanted => [wanted.asset_id, makeAsset(wanted, format, brief, context)] as const,
  )
  const assets = Object.fromEntries(entries.filter(([, asset]) => asset !== undefined)) as Assets
  assertMatchesFormat(assets, format, 'creative_manifest')
  return { format_id: toFormatId(format.id, context), assets }
}

function makeAsset(
  wanted: FormatAsset,
  format: Format,
  brief: Brief,
  context: TaskContext,
): Asset | undefined {
  const supplied = findSupplied(wanted, brief.assets)
  if (supplied && isFitting(supplied, wanted, format)) return supplied
  switch (wanted.asset_type) {
    case 'text':
      return makeText(wanted, supplied, brief)
    case 'url':
      return brief.link ? { asset_type: 'url', url: brief.link } : undefined
    case 'image':
      return makePicture(wanted, format, brief, context)
    case 'vast':
      return makeVideoTag(wanted, format, brief)
    default:
      if (!wanted.required) return undefined
      throw new TaskError(
        'UNSUPPORTED_FEATURE',
        `creative_manifest.assets.${wanted.asset_id}: this agent cannot make ${wanted.asset_type}: send one`,
        { field: `creative_manifest.assets.${wanted.asset_id}` },
      )
  }
}

/** Makes a tag for the video among the assets; undefined when none has the required length. */
function makeVideoTag(
  { requirements = {} }: FormatAsset,
  { size }: Format,
  { assets, link, headline, brandName }: Brief,
): Asset | undefined {
  const video = Object.values(assets)
    .flat()
    .find(({ asset_type, url }) => asset_type === 'video' && typeof url === 'string')
  const seconds = requireValue(requirements.duration_seconds, 'duration of the video')
  if (!video || (video.duration_ms ?? seconds * 1000) !== seconds * 1000) return undefined
  const title = headline ?? brandName ?? 'Video'
  const content = writeVast({
    url: video.url as string,
    seconds,
    ...requireValue(size, 'size of the video'),
    link,
    title,
  })
  const duration_ms = seconds * 1000
  return {
    asset_type: 'vast',
    delivery_type: 'inline',
    content,
    vast_version: '4.2',
    duration_ms,
  }
}

/** Finds the asset with the wanted name, or else the first of its type. */
function findSupplied({ asset_id, asset_type }: FormatAsset, assets: Assets): Asset | undefined {
  const named = [assets[asset_id]].flat()[0]
  if (named) return named
  return Object.values(assets)
    .flat()
    .find(asset => asset.asset_type === asset_type && asset_type !== 'text')
}

function isFitting(asset: Asset, wanted: FormatAsset, format: Format): boolean {
  return checkAssets({ [wanted.asset_id]: asset }, { ...format, assets: [wanted] }).length === 0
}

function makeText(
  { asset_id, requirements = {} }: FormatAsset,
  supplied: Asset | undefined,
  brief: Brief,
): Asset | undefined {
  const own = typeof supplied?.content === 'string' ? supplied.content : undefined
  const content = own ?? (asset_id === 'body' ? brief.body : brief.headline)
  if (!content) return undefined
  return { asset_type: 'text', content: truncateText(content, requirements.max_length) }
}

/** Cuts a text at a word, with an ellipsis. */
export function truncateText(text: string, lettersMax = Number.POSITIVE_INFINITY): string {
  const letters = [...text]
  if (letters.length <= lettersMax) return text
  const cut = letters.slice(0, lettersMax - 1).join('')
  return `${cut.replace(/\s+\S*$/, '')}…`
}

function makePicture(
  { requirements = {} }: FormatAsset,
  { size }: Format,
  { headline, brandName, color }: Brief,
  context: TaskContext,
): Asset | undefined {
  const text = headline ?? brandName
  if (!text) return undefined
  const { width = size?.width ?? 1200, height = size?.height ?? 628 } = requirements
  const colors = { ground: color, text: chooseTextColor(color) }
  const svg = drawPicture({ width, height, headline: truncateText(text, 90), brandName, colors })
  return { asset_type: 'image', url: savePicture(svg, context), width, height }
}
