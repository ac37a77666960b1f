import { type Command, Help, type HelpConfiguration } from 'commander'
import { beginSentence } from '../../pipeline/core/error-sentence.ts'

const usual = new Help()

/** Begins each description of a help with a capital. */
export const helpInSentences: HelpConfiguration = {
  commandDescription: command => beginSentence(usual.commandDescription(command)),
  subcommandDescription: command => beginSentence(usual.subcommandDescription(command)),
  argumentDescription: argument => beginSentence(usual.argumentDescription(argument)),
  optionDescription: option => beginSentence(usual.optionDescription(option)),
}

/** Has each command end a refusal of what was typed with the line that shows how it is used. */
export function addHelpHints(command: Command, above = ''): void {
  const name = `${above}${command.name()}`
  command.showHelpAfterError(`Run \`${name} --help\` for usage.`)
  for (const below of command.commands) addHelpHints(below, `${name} `)
}
