/** A noun that a pronoun after it can stand for. */
const NOUN = /\b(?:the|a|an|another|this|each|every|your|one|\w+’s) [\w.-]+|`[^`]+`/i
const NOUN_IN_PLURAL = /\b(?!this|always|address)[a-z]{3,}s\b|\bpeople\b/i
const PRONOUN = /\b(?:its?|itself)\b|\b(?:of|at|in|for|with) that\b/i
const PRONOUN_IN_PLURAL = /\b(?:they|their|them|these|those)\b/i

/** Tells whether a text has a pronoun before any noun: a reader who sees it alone cannot tell what it is about. */
export function needsNoun(text: string): boolean {
  const lacks = (pronoun: RegExp, ...nouns: RegExp[]) => {
    const at = text.search(pronoun)
    return at >= 0 && nouns.every(noun => !noun.test(text.slice(0, at)))
  }
  return lacks(PRONOUN, NOUN) || lacks(PRONOUN_IN_PLURAL, NOUN, NOUN_IN_PLURAL)
}
