#!/usr/bin/env node
import { Command } from 'commander'
import { defineValidation } from './command-line/validation.ts'

/** The command of the package that only validates (`scripts/setup/validator.mjs`). */
const program = new Command('agentic-ad-validator')
  .version(process.env.VALIDATOR_VERSION ?? '', '--version', 'print the version')
  .showHelpAfterError('(see --help)')
defineValidation(program)
program.parseAsync().catch(error => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
})
