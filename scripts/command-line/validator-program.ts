import { Command } from 'commander'
import { defineValidation } from './validation.ts'

/** Builds the command of the package that only validates (`scripts/setup/validator.mjs`). */
export function buildValidator(): Command {
  const program = new Command('agentic-ad-validator')
    .version(process.env.VALIDATOR_VERSION ?? '', '--version', 'print the version')
    .showHelpAfterError('(see --help)')
  defineValidation(program)
  return program
}
