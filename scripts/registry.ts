import { Command } from 'commander'
import { addKeys, addOrganizations, addRoles } from './command-line/accounts.ts'
import { addMembers } from './command-line/members.ts'
import { addAudit, addCorrections, addHeld, addReviews } from './command-line/moderation.ts'
import { addRunning } from './command-line/running.ts'
import { addStores } from './command-line/stores.ts'

const program = new Command('registry')
  .description('The registry of agentic advertising')
  .showHelpAfterError()
  .configureHelp({ showGlobalOptions: false })

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

program.parseAsync().catch(error => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
})
