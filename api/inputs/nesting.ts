/** Maximum levels of arrays and objects in a body; real requests have less than half. */
export const JSON_LEVELS_MAX = 64

/** Tells whether JSON text, also that of no valid value, has more levels of arrays and objects. */
export function isNestedDeeper(text: string, max: number): boolean {
  return hasMore(text, max) && isReallyDeeper(text, max)
}

/** Tells whether there are more brackets than allowed levels; this count is enough for most bodies. */
function hasMore(text: string, max: number): boolean {
  let count = 0
  for (const bracket of '[{') {
    for (let i = text.indexOf(bracket); i !== -1; i = text.indexOf(bracket, i + 1)) {
      if (++count > max) return true
    }
  }
  return false
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c]
const opening = new Set([0x5b, 0x7b])
const closing = new Set([0x5d, 0x7d])

function isReallyDeeper(text: string, max: number): boolean {
  let levels = 0
  let isText = false
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    if (isText) {
      if (char === BACKSLASH) i++
      else if (char === QUOTE) isText = false
    } else if (char === QUOTE) isText = true
    else if (opening.has(char)) {
      if (++levels > max) return true
    } else if (closing.has(char)) levels--
  }
  return false
}
