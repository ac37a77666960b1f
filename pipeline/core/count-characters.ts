/**
 * Tells whether a text has more characters than this. Characters are code points, as JSON Schema counts them: an
 * emoji is one, though JavaScript stores it as two.
 */
export function isLonger(text: string, maximum: number): boolean {
  if (text.length <= maximum) return false
  return text.length > maximum * 2 || [...text].length > maximum
}
