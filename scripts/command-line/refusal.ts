import type { OutputConfiguration } from 'commander'
import { completeSentence } from '../../pipeline/core/error-sentence.ts'
import { describeChoices } from '../../pipeline/core/validation-messages.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are replaced before text is echoed
const CONTROL = /[\x00-\x1f\x7f-\x9f]/g

/** Words of the library around an argument, and what a reader of values has said of it. */
const INVALID =
  /^(?:command-argument value '(?<value>.*)' is invalid for argument '(?<name>[\w-]+)'|option '(?<option>[^']+)' argument '(?<text>.*)' is invalid)\. (?:must (?<rule>.*)|Allowed choices are (?<choices>.*))$/s
/** Name that the library does not know, in its quotation marks. */
const UNKNOWN = /^(unknown (?:command|option)) '(.*)'/s
/** Guess that the library adds below a name that it does not know. */
const GUESS = /\n\((Did you mean [^\n]*)\)$/

/** Has a program refuse what was typed as it refuses anything else: in a sentence. */
export const refusalInSentences: OutputConfiguration = {
  outputError: (text, write) => write(`${formatRefusal(text)}\n`),
}

/** Formats a refusal as one line that shows every character that was typed. */
function formatRefusal(text: string): string {
  const sentence = text
    .trimEnd()
    .replace(/^error: /, '')
    .replace(GUESS, '. $1')
    .replace(UNKNOWN, '$1 “$2”')
    .replace(INVALID, (...match) => {
      const { name, value, option, text, rule, choices } = match.at(-1) as Record<string, string>
      const must = choices === undefined ? `must ${rule}` : describeChoices(choices.split(', '))
      return `Invalid value “${value ?? text}” for ${option ?? `<${name}>`}: ${must}`
    })
    .replace(CONTROL, '\uFFFD')
  return completeSentence(sentence)
}
