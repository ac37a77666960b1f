import { getFirst } from '../../../pipeline/core/present.ts'
/** A format as the creative tenant describes it. */
export interface Format {
  id: string
  name: string
  description: string
  type: 'display' | 'video' | 'audio' | 'dooh'
  /** Pixels, where it is shown on a screen. */
  size?: { width: number; height: number }
  /** True if it adapts to the available width. */
  isResponsive?: boolean
  assets: readonly FormatAsset[]
}

export interface FormatAsset {
  asset_id: string
  asset_type: 'image' | 'video' | 'audio' | 'text' | 'url' | 'html' | 'vast'
  required: boolean
  requirements?: {
    width?: number
    height?: number
    aspect_ratio?: string
    duration_seconds?: number
    /** Maximum length in characters. */
    max_length?: number
    /** Allowed file extensions. */
    file_types?: readonly string[]
  }
}

const clickThrough: FormatAsset = { asset_id: 'click_url', asset_type: 'url', required: false }

function buildBanner(width: number, height: number, name: string): Format {
  return {
    id: `display_${width}x${height}`,
    name: `${name} ${width}×${height}`,
    description: `An image of ${width} by ${height} pixels that links to a page`,
    type: 'display',
    size: { width, height },
    assets: [
      {
        asset_id: 'image',
        asset_type: 'image',
        required: true,
        requirements: { width, height, file_types: ['jpg', 'png', 'gif', 'webp', 'svg'] },
      },
      clickThrough,
    ],
  }
}

/** Builds the format of a banner that is made from a brief: this agent draws its picture. */
function buildDrawnBanner(width: number, height: number): Format {
  return {
    id: `display_${width}x${height}_generative`,
    name: `Drawn banner ${width}×${height}`,
    description: `A picture of ${width} by ${height} pixels that this agent draws from a brief`,
    type: 'display',
    size: { width, height },
    assets: [
      {
        asset_id: 'generated_image',
        asset_type: 'image',
        required: true,
        requirements: { width, height },
      },
      { asset_id: 'headline', asset_type: 'text', required: false },
      { asset_id: 'cta', asset_type: 'text', required: false, requirements: { max_length: 30 } },
      clickThrough,
    ],
  }
}

/** Builds the format of a tag that plays a video of this many seconds in any player. */
function buildVideoTag(seconds: number): Format {
  return {
    id: `vast_${seconds}s`,
    name: `Video tag of ${seconds} seconds`,
    description: `A VAST document for a video of ${seconds} seconds`,
    type: 'video',
    size: { width: 1920, height: 1080 },
    assets: [
      {
        asset_id: 'vast',
        asset_type: 'vast',
        required: true,
        requirements: { duration_seconds: seconds },
      },
    ],
  }
}

function buildVideo(seconds: number): Format {
  return {
    id: `video_${seconds}s`,
    name: `Video of ${seconds} seconds`,
    description: `A video of ${seconds} seconds in 16:9`,
    type: 'video',
    size: { width: 1920, height: 1080 },
    assets: [
      {
        asset_id: 'video',
        asset_type: 'video',
        required: true,
        requirements: { duration_seconds: seconds, aspect_ratio: '16:9', file_types: ['mp4'] },
      },
      clickThrough,
    ],
  }
}

/** Every format that this agent accepts and can make. */
export const formats: readonly Format[] = [
  buildBanner(300, 250, 'Medium rectangle'),
  buildBanner(728, 90, 'Leaderboard'),
  buildBanner(160, 600, 'Wide skyscraper'),
  buildBanner(320, 50, 'Mobile banner'),
  buildBanner(970, 250, 'Billboard'),
  buildDrawnBanner(300, 250),
  buildDrawnBanner(728, 90),
  buildDrawnBanner(320, 50),
  {
    id: 'native_content',
    name: 'Native card',
    description: 'A picture with headline and text in the style of its page',
    type: 'display',
    isResponsive: true,
    assets: [
      { asset_id: 'image', asset_type: 'image', required: true },
      {
        asset_id: 'headline',
        asset_type: 'text',
        required: true,
        requirements: { max_length: 60 },
      },
      {
        asset_id: 'body',
        asset_type: 'text',
        required: false,
        requirements: { max_length: 140 },
      },
      clickThrough,
    ],
  },
  buildVideo(6),
  buildVideo(15),
  buildVideo(30),
  buildVideoTag(15),
  buildVideoTag(30),
  {
    id: 'audio_30s',
    name: 'Audio of 30 seconds',
    description: 'A spoken or produced message of 30 seconds',
    type: 'audio',
    assets: [
      {
        asset_id: 'audio',
        asset_type: 'audio',
        required: true,
        requirements: { duration_seconds: 30, file_types: ['mp3', 'm4a'] },
      },
    ],
  },
  {
    id: 'dooh_1080x1920',
    name: 'Portrait screen',
    description: 'A still picture for public screens, ten seconds in each loop',
    type: 'dooh',
    size: { width: 1080, height: 1920 },
    assets: [
      {
        asset_id: 'image',
        asset_type: 'image',
        required: true,
        requirements: { width: 1080, height: 1920, file_types: ['jpg', 'png', 'svg'] },
      },
    ],
  },
]

/** Kinds of formats by the main asset, as releases from 3.1 name them. */
const formatKinds = {
  image: 'image',
  video: 'video_hosted',
  vast: 'video_vast',
  audio: 'audio_hosted',
}

/**
 * Describes a format for the capabilities: its kind, and what can be done with it. Crawlers look for this;
 * 3.0 has no such field, and allows it.
 */
export function describeSupport({ id, name, size, isResponsive, assets }: Format): object {
  const { asset_type, requirements } = getFirst(assets)
  const seconds = requirements?.duration_seconds
  return {
    capability_id: id,
    display_name: name,
    format: {
      format_kind: isResponsive
        ? 'responsive_creative'
        : formatKinds[asset_type as keyof typeof formatKinds],
      params: { ...size, ...(seconds !== undefined && { duration_seconds: seconds }) },
    },
    operations: ['build', 'preview', 'validate'],
  }
}
