import { getAt } from '../../../pipeline/core/present.ts'
import { type Html, h } from '../html/jsx.ts'
import { clipText } from '../html/text.tsx'

const HEX = /^#?(?:[0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i
const COLORS_SHOWN_MAX = 12

interface Color {
  name: string
  hex: string
}

/** Reads the colors of a brand, in whatever shape its file has them: a list, or words with values. */
export function readColors(manifest: Readonly<Record<string, unknown>> | undefined): Color[] {
  const colors = manifest?.colors ?? manifest?.colours
  if (typeof colors !== 'object' || colors === null) return []
  return Object.entries(colors)
    .flatMap(([name, value]) => readColor(name, value))
    .slice(0, COLORS_SHOWN_MAX)
}

function readColor(name: string, value: unknown): Color[] {
  if (Array.isArray(value)) return value.flatMap(item => readColor(name, item))
  const described =
    typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  const hex =
    typeof value === 'string' ? value : (described.hex ?? described.value ?? described.color)
  if (typeof hex !== 'string' || !HEX.test(hex)) return []
  const label =
    described.name ?? described.role ?? described.type ?? (/^\d+$/.test(name) ? hex : name)
  return [{ name: clipText(label, 40), hex: hex.startsWith('#') ? hex : `#${hex}` }]
}

export function renderColors(colors: readonly Color[]): Html {
  return (
    <ul class="colors">
      {colors.map(({ name, hex }) => (
        <li>
          <svg viewBox="0 0 40 40" width="40" height="40" aria-hidden="true">
            <rect x="0.5" y="0.5" width="39" height="39" rx="6" fill={hex} />
          </svg>
          <span>
            {name === hex ? null : <bdi>{name}</bdi>}
            <code>{hex}</code>
          </span>
        </li>
      ))}
    </ul>
  )
}

const tints = [
  '#3b5bdb',
  '#0b7285',
  '#2b8a3e',
  '#a61e4d',
  '#862e9c',
  '#9c4a00',
  '#5f3dc4',
  '#364fc7',
]

/**
 * Renders the first letter of a name on a color of its own, instead of a logo on another server that would
 * learn who opens this page.
 */
export function renderMonogram(name: string, id: string, size = 64): Html {
  const [letter = '?'] = Array.from(name.trim())
  const sum = Array.from(id).reduce(
    (total, character) => total + (character.codePointAt(0) ?? 0),
    0,
  )
  return (
    <svg class="monogram" viewBox="0 0 64 64" width={size} height={size} aria-hidden="true">
      <rect width="64" height="64" rx="12" fill={getAt(tints, sum % tints.length)} />
      <text x="32" y="43" text-anchor="middle" fill="#ffffff">
        {letter.toUpperCase()}
      </text>
    </svg>
  )
}
