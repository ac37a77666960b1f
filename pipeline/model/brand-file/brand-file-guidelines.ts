import { z } from 'zod'
import { HexColor, text, Uri } from '../file-parts.ts'

/** Visual guidelines of a brand, in the shape that the format of brand.json gives them. */

const texts = z.array(text)
const whole = z.int()
const textMap = z.record(text, text)
const some = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.looseObject(shape).partial().optional()

const Photography = some({
  realism: z.enum(['natural', 'stylized', 'hyperreal', 'abstract']),
  lighting: text,
  color_temperature: z.enum(['warm', 'neutral', 'cool']),
  contrast: z.enum(['low', 'medium', 'high']),
  depth_of_field: z.enum(['shallow', 'medium', 'deep']),
  subject: some({
    people: some({ age_range: text, diversity: text, mood: texts }),
    product_focus: z.enum(['in-use', 'isolated', 'lifestyle', 'detail']),
    setting: text,
  }),
  framing: some({ subject_position: text, crop_style: text, perspective: text }),
  preferred_aspect_ratios: z.array(text.regex(/^\d+:\d+$/, 'must be a ratio such as 16:9')),
  tags: texts,
})

const GraphicStyle = some({
  style_type: z.enum([
    'flat_illustration',
    'geometric',
    'gradient_mesh',
    'editorial_collage',
    'hand_drawn',
    'minimal_line_art',
    '3d_render',
    'isometric',
    'photographic_composite',
  ]),
  stroke_style: z.enum(['rounded', 'square', 'mixed', 'none']),
  stroke_weight: text,
  corner_radius: text,
  tags: texts,
})

const Shapes = some({
  primary_shape: text,
  secondary_shapes: texts,
  usage: some({ max_per_layout: whole, overlap_allowed: z.boolean() }),
})

const Iconography = some({
  style: z.enum(['outline', 'filled', 'duotone', 'flat', 'glyph', 'hand_drawn']),
  stroke_weight: text,
  corner_style: z.enum(['rounded', 'square', 'mixed']),
  usage: some({ max_per_frame: whole, size_ratio: text }),
})

const Composition = some({
  overlays: some({
    gradient_style: z.enum(['linear', 'radial', 'conic', 'none']),
    gradient_direction: text,
    opacity: text,
  }),
  texture: some({
    style: z.enum(['none', 'subtle_grain', 'noise', 'paper', 'fabric', 'concrete']),
    intensity: z.enum(['low', 'medium', 'high']),
  }),
  backgrounds: some({
    types_allowed: z.array(
      z.enum([
        'solid_color',
        'gradient',
        'blurred_photo',
        'image',
        'video',
        'pattern',
        'transparent',
      ]),
    ),
  }),
})

const GraphicElement = z.looseObject({
  name: text,
  type: z
    .enum(['border', 'divider', 'frame', 'watermark', 'pattern', 'texture_overlay', 'decorative'])
    .optional(),
  description: text.optional(),
  orientation: z.enum(['horizontal', 'vertical', 'any']).optional(),
  colors: z.array(HexColor).optional(),
  max_per_layout: whole.optional(),
})

const Motion = some({
  transition_style: z.enum(['cut', 'dissolve', 'slide', 'wipe', 'zoom', 'fade']),
  animation_speed: z.enum(['slow', 'moderate', 'fast']),
  easing: text,
  text_entrance: z.enum(['fade', 'typewriter', 'slide_up', 'slide_left', 'scale', 'none']),
  pacing: z.enum(['lingering', 'moderate', 'fast_cuts']),
  kinetic_typography: z.boolean(),
  tags: texts,
})

const LogoPlacement = some({
  preferred_position: z.enum([
    'top-left',
    'top-center',
    'top-right',
    'bottom-left',
    'bottom-center',
    'bottom-right',
    'center',
  ]),
  min_clear_space: text,
  min_height: text,
  background_contrast: z.enum(['light_only', 'dark_only', 'any']),
})

const Colorway = z.looseObject({
  name: text,
  foreground: HexColor,
  background: HexColor,
  accent: HexColor.optional(),
  border: HexColor.optional(),
  cta_foreground: HexColor.optional(),
  cta_background: HexColor.optional(),
  channels: texts.optional(),
})

const TypeStyle = z
  .looseObject({
    font: text,
    size: text,
    weight: text,
    line_height: text,
    letter_spacing: text,
    text_transform: z.enum(['none', 'uppercase', 'lowercase', 'capitalize']),
  })
  .partial()

const TypeScale = z
  .object({
    base_width: text,
    heading: TypeStyle,
    subheading: TypeStyle,
    body: TypeStyle,
    caption: TypeStyle,
    cta: TypeStyle,
  })
  .partial()
  .catchall(TypeStyle)

const AssetLibrary = z.looseObject({
  name: text,
  url: Uri,
  type: z
    .enum(['icon_set', 'illustration_system', 'image_library', 'video_library', 'template_library'])
    .optional(),
  description: text.optional(),
  color_guide: some({
    roles: texts,
    palettes: z.array(z.looseObject({ name: text, colors: z.record(text, HexColor) })),
  }),
})

export const VisualGuidelines = some({
  photography: Photography,
  graphic_style: GraphicStyle,
  shapes: Shapes,
  iconography: Iconography,
  composition: Composition,
  border_radius: textMap,
  elevation: textMap,
  spacing: z.strictObject({ unit: text.optional(), scale: textMap.optional() }),
  graphic_elements: z.array(GraphicElement),
  motion: Motion,
  logo_placement: LogoPlacement,
  colorways: z.array(Colorway),
  type_scale: TypeScale,
  asset_libraries: z.array(AssetLibrary),
  restrictions: texts,
})
