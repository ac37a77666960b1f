import { Command } from 'commander'
import { addHelpHints, helpInSentences } from './help.ts'
import { refusalInSentences } from './refusal.ts'
import { defineValidation } from './validation.ts'

/** Builds the command of the package that only validates (`scripts/setup/validator.mjs`). */
export function buildValidator(): Command {
  const program = new Command('agentic-ad-validator')
    .version(process.env.VALIDATOR_VERSION ?? '', '--version', 'print the version')
    .configureHelp(helpInSentences)
    .configureOutput(refusalInSentences)
  defineValidation(program)
  addHelpHints(program)
  return program
}
