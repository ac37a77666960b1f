/** Begins what is said of a field; any other text is a sentence of its own. */
const PREDICATE = /^(?:must|is|has|have|cannot|was|needs|names|contains)\b/
const OF_FIELD = /^([\w.[\]-]+): (.+)$/s

const parts: Readonly<Record<string, string>> = {
  body: 'The body',
  params: 'The path',
  querystring: 'The query',
  question: 'The question',
  request: 'The request',
}

/** Builds a sentence from what is wrong with a field or a part of a request: `domain`, `is required`. */
export function describeField(field: string, fault: string): string {
  if (PREDICATE.test(fault)) return endSentence(`${parts[field] ?? `\`${field}\``} ${fault}`)
  // A value is quoted first: the field says where it is.
  return fault.startsWith('"') ? endSentence(`\`${field}\`: ${fault}`) : toSentence(fault)
}

/** Finds the field that a text such as `domain: is required`, or its sentence, is about. */
export function findField(text: string): string | undefined {
  const [, named, quoted] = /^(?:([\w.[\]-]+): |`([\w.[\]-]+)` )/.exec(text) ?? []
  return named ?? quoted
}

/** Converts the text of a refusal to a sentence; `field: fault` is said of the field. */
export function toSentence(text: string): string {
  const [, field, fault] = OF_FIELD.exec(text) ?? []
  if (field !== undefined && fault !== undefined) return describeField(field, fault)
  return completeSentence(text)
}

/** Begins a text with a capital and ends it with a period. Domains and codes at the beginning keep their spelling. */
export function completeSentence(text: string): string {
  return endSentence(beginSentence(text))
}

/** Begins a text with a capital where its first word is one, and no URL, domain, file or code. */
export function beginSentence(text: string): string {
  const isWord = /^[a-z][a-z’'-]*(?:[\s,;]|:\s|$)/.test(text)
  return isWord ? text.charAt(0).toUpperCase() + text.slice(1) : text
}

/** Ends a text with a period where it has no end. */
export function endSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}
