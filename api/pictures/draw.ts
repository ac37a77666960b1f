import { escapeHtml } from '../../pipeline/core/escape-html.ts'

/** Texts of a picture: they may be anybody's. */
export interface PictureText {
  /** Kind of what the page shows: a brand, for example. */
  kind: string
  title: string
  description: string
  /** Host of the registry. */
  host: string
}

/** Size that sites and apps show where a link is shared. */
export const WIDTH = 1_200
export const HEIGHT = 630

const MARGIN = 80
const TITLE = { size: 54, chars: 29, lines: 3 }
const DESCRIPTION = { size: 30, chars: 56, lines: 3 }

/**
 * Letters and signs that DejaVu lacks. A line with one is drawn in the second font, whose letters are coarser, but
 * of all scripts.
 */
const BEYOND_DEJAVU =
  /(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Hebrew}\p{Script=Arabic}])\p{L}|\p{Extended_Pictographic}|[\u3000-\u303f\uff00-\uffef]/u
/** Joiners, selectors and skin tones of emoji: their parts are drawn one by one. */
const EMOJI_PARTS = /[\u200d\ufe0e\ufe0f]|[\u{1f3fb}-\u{1f3ff}]/gu
/** Characters as wide as they are high, which take the room of some letters. */
const WIDE_CHARACTERS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Extended_Pictographic}\u3000-\u303f\uff00-\uff60]/u
const WIDE_LETTERS = 1.6

/** Characters that XML does not allow, those that nobody sees, and halves of others. */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is meant
  /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufffe\uffff]|\p{Cs}/gu

function escapeXml(text: string): string {
  return escapeHtml(text.replace(UNSEEN, ' '))
}

/** Tells whether a picture needs the second font. */
export function needsSecondFont(svg: string): boolean {
  return BEYOND_DEJAVU.test(svg)
}

/** Draws the picture of a page as SVG, in the colors of the registry. It names no font file and no picture. */
export function drawPicture({ kind, title, description, host }: PictureText): string {
  const titles = wrapText(title, TITLE)
  const below = 200 + titles.length * TITLE.size * 1.2
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="DejaVu Sans">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fbfbfd"/>`,
    `<rect width="${WIDTH}" height="16" fill="#2f4bb0"/>`,
    `<text x="${MARGIN}" y="130" font-size="28" fill="#565d6b">${escapeXml(clip(kind, 60))}</text>`,
    ...drawLines(titles, { y: 215, size: TITLE.size, look: 'fill="#16181d" font-weight="bold"' }),
    ...drawLines(wrapText(description, DESCRIPTION), {
      y: below + 50,
      size: DESCRIPTION.size,
      look: 'fill="#565d6b"',
    }),
    `<g transform="translate(${MARGIN} 540) scale(1.5)"><path fill="#2f4bb0" d="M16 2 29 9v14l-13 7L3 23V9z"/>`,
    '<path fill="none" stroke="#fff" stroke-width="3" d="m9.500 16 4.500 4.500 8.500-9"/></g>',
    `<text x="${MARGIN + 66}" y="574" font-size="28" fill="#16181d">Agentic Ad Registry</text>`,
    `<text x="${WIDTH - MARGIN}" y="574" text-anchor="end" font-size="24" fill="#565d6b">${escapeXml(clip(host, 40))}</text>`,
    '</svg>',
  ].join('')
}

function drawLines(
  lines: readonly string[],
  { y, size, look }: { y: number; size: number; look: string },
): string[] {
  return lines.map((line, at) => {
    const top = Math.round(y + at * size * 1.2)
    return `<text x="${MARGIN}" y="${top}" font-size="${size}" ${look}>${escapeXml(line)}</text>`
  })
}

/**
 * Wraps a text to a few lines of so many letters, at spaces where there are any; one that goes on ends with `…`.
 */
export function wrapText(
  text: string,
  { chars, lines }: { chars: number; lines: number },
): string[] {
  const left = Array.from(
    text
      .slice(0, 4 * chars * lines)
      .replace(EMOJI_PARTS, '')
      .replace(/\s+/g, ' ')
      .trim(),
  )
  const wrapped: string[] = []
  while (left.length > 0 && wrapped.length < lines) {
    const room = countFitting(left, chars)
    const space = left.length <= room ? left.length : left.lastIndexOf(' ', room)
    const line = left.splice(0, space > room / 2 ? space : room)
    wrapped.push(line.join('').trim())
    if (left[0] === ' ') left.shift()
  }
  if (left.length > 0) {
    const last = Array.from(wrapped.pop() ?? '')
    wrapped.push(`${last.slice(0, countFitting(last, chars - 1)).join('')}…`)
  }
  return wrapped
}

/** Counts the characters at the beginning of a text that take the room of so many letters at most. */
function countFitting(characters: readonly string[], letters: number): number {
  let room = letters
  const first = characters.findIndex(character => {
    room -= WIDE_CHARACTERS.test(character) ? WIDE_LETTERS : 1
    return room < 0
  })
  return first === -1 ? characters.length : first
}

function clip(text: string, chars: number): string {
  return Array.from(text).slice(0, chars).join('')
}
