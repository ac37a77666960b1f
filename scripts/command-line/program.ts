import { Command } from 'commander'
import { addKeys, addOrganizations, addRoles } from './accounts.ts'
import { addMembers } from './members.ts'
import { addAudit, addCorrections, addHeld, addReviews } from './moderation.ts'
import { addRunning } from './running.ts'
import { addStores } from './stores.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are replaced before text is echoed
const CONTROL = /[\x00-\x1f\x7f-\x9f]/g

/**
 * Builds the command line. A command that cannot be understood is refused in one line that points
 * to --help.
 */
export function buildProgram(): Command {
  const program = new Command('registry')
    .description('The registry of agentic advertising')
    .showHelpAfterError('(see --help)')
    .configureHelp({ showGlobalOptions: false })
    .configureOutput({
      outputError: (text, write) => write(`${text.trimEnd().replace(CONTROL, '\uFFFD')}\n`),
    })
  addRunning(program)
  addStores(program)
  addOrganizations(program)
  addMembers(program)
  addKeys(program)
  addRoles(program)
  addReviews(program)
  addHeld(program)
  addCorrections(program)
  addAudit(program)
  return program
}
