/**
 * Copies a text to memory of its own. A slice of a long text keeps all of that text alive, so slices
 * that are cached are detached first. Well-formed text only.
 */
export function detach(text: string): string {
  return Buffer.from(text).toString()
}
