import { randomUUID } from 'node:crypto'
import type { TaskContext } from '../task-context.ts'
import { escapeHtml } from './render.ts'

declare module '../state/store.ts' {
  interface Records {
    /** Drawn pictures, as SVG. */
    picture: string
  }
}

/** A picture to draw: a headline on a background in the colors of a brand. */
export interface Picture {
  width: number
  height: number
  headline: string
  brandName?: string | undefined
  colors: { ground: string; text: string }
}

/** Average width of a letter, as a share of the font size. */
const LETTER_WIDTH = 0.56

/** Draws a picture as SVG: the headline in as many lines as necessary, the name of the brand below. */
export function drawPicture({ width, height, headline, brandName, colors }: Picture): string {
  const { size, lines } = fitText(headline, width * 0.88, height * 0.68)
  const top = height * 0.45 - ((lines.length - 1) * size * 1.15) / 2
  const spans = lines.map(
    (line, at) =>
      `<text x="${width / 2}" y="${round(top + at * size * 1.15)}" font-size="${size}">${escapeHtml(line)}</text>`,
  )
  const small = Math.max(8, round(Math.min(size * 0.5, height * 0.12)))
  const name = brandName
    ? `<text x="${width / 2}" y="${round(height - small * 0.8)}" font-size="${small}">${escapeHtml(brandName)}</text>`
    : ''
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">` +
    `<rect width="100%" height="100%" fill="${colors.ground}"/>` +
    `<g fill="${colors.text}" font-family="sans-serif" font-weight="600" text-anchor="middle" dominant-baseline="middle">` +
    `${spans.join('')}${name}</g></svg>`
  )
}

/** Finds the largest font size at which a text fits a box, and its lines. */
function fitText(text: string, width: number, height: number): { size: number; lines: string[] } {
  for (let size = round(height / 2); size > 8; size -= 1) {
    const lines = wrap(text, Math.floor(width / (size * LETTER_WIDTH)))
    if (lines && lines.length * size * 1.15 <= height) return { size, lines }
  }
  return { size: 8, lines: [text] }
}

function wrap(text: string, letters: number): string[] | undefined {
  const lines: string[] = []
  for (const word of text.split(/\s+/).filter(Boolean)) {
    if (word.length > letters) return undefined
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= letters) {
      lines[lines.length - 1] = `${last} ${word}`
    } else {
      lines.push(word)
    }
  }
  return lines
}

function round(value: number): number {
  return Math.max(1, Math.round(value))
}

/** Stores a picture and returns the address at which it is served. */
export function savePicture(svg: string, { state, now, origin }: TaskContext): string {
  const id = randomUUID()
  state.put('picture', '', id, svg, { now })
  return `${origin}/pictures/${id}.svg`
}

/** Chooses black or white, whichever is more legible on a color such as `#F2B134`. */
export function chooseTextColor(ground: string): string {
  const readByte = (at: number) => Number.parseInt(ground.slice(at, at + 2), 16)
  return 0.299 * readByte(1) + 0.587 * readByte(3) + 0.114 * readByte(5) > 150
    ? '#111111'
    : '#ffffff'
}
