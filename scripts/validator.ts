#!/usr/bin/env node
import { Command } from 'commander'
import { refuseOldNode } from './command-line/old-node.ts'
import { defineValidation } from './command-line/validation.ts'

// All of it is one file, which an older Node can still read.
refuseOldNode(process.env.VALIDATOR_NODE ?? '', 'the validator')

/** The command of the package that only validates (`scripts/setup/validator.mjs`). */
const program = new Command('agentic-ad-validator')
  .version(process.env.VALIDATOR_VERSION ?? '', '--version', 'print the version')
  .showHelpAfterError('(see --help)')
defineValidation(program)
program.parseAsync().catch(error => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
})
