import { Command } from 'commander'
import { readVersion } from '../../pipeline/core/version.ts'
import { addKeys, addOrganizations, addRoles } from './accounts.ts'
import { addHelpHints, helpInSentences } from './help.ts'
import { addMembers } from './members.ts'
import { addAudit, addCorrections, addHeld, addReviews } from './moderation.ts'
import { refusalInSentences } from './refusal.ts'
import { addRunning } from './running.ts'
import { addInspection, addStores } from './stores.ts'
import { defineValidation } from './validation.ts'

/** Ends a command whose output nobody reads anymore, as in `| head`. */
function endWithoutReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
  process.exit()
}

/**
 * Builds the command line. A command that cannot be understood is refused in one line that points
 * to --help.
 */
export function buildProgram(): Command {
  const program = new Command('registry')
    .description('Run and manage an Agentic Ad Registry')
    .version(readVersion(), '--version', 'print the version')
    .configureHelp({ ...helpInSentences, showGlobalOptions: false })
    .configureOutput(refusalInSentences)
  program.hook('preAction', (_, command) => {
    if (command.name() !== 'start') process.stdout.on('error', endWithoutReader)
  })
  addRunning(program)
  addStores(program)
  addInspection(program)
  defineValidation(program.command('validate'))
  addOrganizations(program)
  addMembers(program)
  addKeys(program)
  addRoles(program)
  addReviews(program)
  addHeld(program)
  addCorrections(program)
  addAudit(program)
  addHelpHints(program)
  return program
}
