/**
 * The same text in memory of its own. A piece that was cut from a long text keeps all of that text: what
 * is remembered for minutes must not. Well-formed text only.
 */
export function ownCopy(text: string): string {
  return Buffer.from(text).toString()
}
