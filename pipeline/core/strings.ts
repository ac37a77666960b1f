/**
 * Copies a text to memory of its own. A substring keeps the whole original text alive, so substrings that
 * are cached are detached first. Well-formed text only.
 */
export function detach(text: string): string {
  return Buffer.from(text).toString()
}
