import type { Badge, BadgeRole } from '../../pipeline/model/badge.ts'

/** Names of roles, for people. */
const roleTitles: Readonly<Record<BadgeRole, string>> = {
  'media-buy': 'Media buy',
  creative: 'Creative',
  signals: 'Signals',
  governance: 'Governance',
  brand: 'Brand',
  'sponsored-intelligence': 'Sponsored intelligence',
}

const HEIGHT_PX = 24
const PADDING_PX = 10
/** Mean width of a character of 12 px in the fonts that are named; `textLength` makes it exact. */
const CHARACTER_WIDTH = 6.6
const colors = { active: '#15713a', degraded: '#8a5a00', none: '#5b616b' } as const

/** Describes a badge in words, as its title and as the text beside it. */
export function describeBadge(role: BadgeRole, badge: Badge | undefined, version?: string): string {
  const name = roleTitles[role]
  if (badge === undefined) return `${name} agent: not verified`
  const pinned = version === undefined ? '' : ` for version ${version}`
  return badge.state === 'degraded'
    ? `${name} agent: verified${pinned}, failing now`
    : `${name} agent: verified${pinned}`
}

/** Draws a badge as a self-contained SVG: it loads no font, picture or script. */
export function drawBadge(role: BadgeRole, badge: Badge | undefined, version?: string): string {
  const name = roleTitles[role]
  const state = badge === undefined ? 'none' : badge.state === 'degraded' ? 'degraded' : 'active'
  const word = { active: 'verified', degraded: 'failing', none: 'not verified' }[state]
  const value = badge && version !== undefined ? `${word} ${version}` : word
  const [left, right] = [measure(name), measure(value)]
  const width = left + right
  const title = describeBadge(role, badge, version)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT_PX}" viewBox="0 0 ${width} ${HEIGHT_PX}" role="img" aria-label="${title}">`,
    `<title>${title}</title>`,
    `<clipPath id="edge"><rect width="${width}" height="${HEIGHT_PX}" rx="4"/></clipPath>`,
    `<g clip-path="url(#edge)"><rect width="${left}" height="${HEIGHT_PX}" fill="#2b2f36"/>`,
    `<rect x="${left}" width="${right}" height="${HEIGHT_PX}" fill="${colors[state]}"/></g>`,
    '<g fill="#fff" font-family="Verdana,DejaVu Sans,Arial,sans-serif" font-size="12" aria-hidden="true">',
    drawText(name, 0, left),
    drawText(value, left, right),
    '</g></svg>',
  ].join('')
}

function measure(text: string): number {
  return Math.round(text.length * CHARACTER_WIDTH) + 2 * PADDING_PX
}

function drawText(text: string, x: number, width: number): string {
  return `<text x="${x + PADDING_PX}" y="16" textLength="${width - 2 * PADDING_PX}" lengthAdjust="spacingAndGlyphs">${text}</text>`
}
