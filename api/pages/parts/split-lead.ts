/** Characters of a lead at most; a longer one is cut. */
const LEAD_CHARS = 200

/** Matches the first sentence of a paragraph, and not up to the dot of an abbreviation. */
const SENTENCE = /^.+?(?<!\b(?:e\.g|i\.e|vs|etc))[.!?](?=\s+[A-Z])/

/** Matches where the first paragraph ends: at an empty line, or where a list begins. */
const PARAGRAPH_END = /\n(?=\s*\n|\s*- )/

/**
 * Splits off the first sentence of a text whose lines were wrapped anywhere. A lead that is not whole, since a list
 * follows it or it is too long, ends in `…`. The rest of a lead that was cut is the whole text.
 */
export function splitLead(text: string): { lead: string; rest: string } {
  const whole = text.trim()
  const [paragraph = ''] = whole.split(PARAGRAPH_END, 1)
  const joined = paragraph.replaceAll(/\s*\n\s*/g, ' ')
  const lead = SENTENCE.exec(joined)?.[0] ?? joined
  if (lead.length > LEAD_CHARS) {
    const start = lead.slice(0, LEAD_CHARS)
    return { lead: `${start.slice(0, start.lastIndexOf(' '))}…`, rest: whole }
  }
  const later = joined.slice(lead.length).trim()
  const rest = [later, whole.slice(paragraph.length).trim()].filter(Boolean).join('\n\n')
  if (rest === '' || /[.!?]$/.test(lead)) return { lead, rest }
  return { lead: `${lead.replace(/[:,;–—]$/, '')}…`, rest }
}
