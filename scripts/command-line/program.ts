import { Command } from 'commander'
import { readVersion } from '../../pipeline/core/version.ts'
import { addKeys, addOrganizations, addRoles } from './accounts.ts'
import { addHelpHints, helpInSentences } from './help.ts'
import { addMembers } from './members.ts'
import { addAudit, addCorrections, addHeld, addReviews } from './moderation.ts'
import { addRunning } from './running.ts'
import { addInspection, addStores } from './stores.ts'
import { defineValidation } from './validation.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are replaced before text is echoed
const CONTROL = /[\x00-\x1f\x7f-\x9f]/g

/** Words of the library around an argument, and what a reader of values has said of it. */
const INVALID =
  /^error: (?:command-argument value '(?<value>.*)' is invalid for argument '(?<name>[\w-]+)'|option '(?<option>[^']+)' argument '(?<text>.*)' is invalid)\. (?:must (?<rule>.*)|Allowed choices are (?<choices>.*))$/s
/** Guess that the library adds below a name that it does not know. */
const GUESS = /\n(?=\(Did you mean [^\n]*$)/

/** Formats a refusal as one line that shows every character that was typed. */
function formatRefusal(text: string): string {
  return text
    .trimEnd()
    .replace(GUESS, ' ')
    .replace(INVALID, (...match) => {
      const { name, value, option, text, rule, choices } = match.at(-1) as Record<string, string>
      const must = choices === undefined ? `must ${rule}` : `must be one of ${choices}`
      return `error: ${name ?? option}: “${value ?? text}” ${must}`
    })
    .replace(CONTROL, '\uFFFD')
}

/** Ends a command whose output nobody reads any more, as in `| head`. */
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
    .configureOutput({
      outputError: (text, write) => write(`${formatRefusal(text)}\n`),
    })
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
