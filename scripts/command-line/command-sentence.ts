import { completeSentence, endSentence, toSentence } from '../../pipeline/core/error-sentence.ts'

const OF_FIELD = /^[\w.]+: must /

/** Converts what a command says to a sentence; names that were typed keep their spelling, also at its beginning. */
export function toCommandSentence(text: string, typed: readonly string[] = process.argv): string {
  if (OF_FIELD.test(text)) return toSentence(text)
  const first = getFirstWord(text)
  const isTyped = typed.some(each => getFirstWord(each) === first)
  return isTyped ? endSentence(text) : completeSentence(text)
}

const getFirstWord = (text: string) => text.split(/[\s:,]/, 1)[0]
