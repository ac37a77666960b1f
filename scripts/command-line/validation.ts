import { type Command, Option } from 'commander'
import { proposedKinds } from '../../pipeline/model/proposed-kind.ts'
import { reportFormats } from '../commands/validation-report.ts'
import { domain, path } from './values.ts'

/** Makes a command the one that checks files before they are served, or as a domain serves them now. It needs no stores. */
export function defineValidation(command: Command): void {
  command
    .description(
      'check files before you publish them, or those that a domain serves now (exits with 2 if one has errors, 1 if one cannot be read)',
    )
    .argument(
      '<targets...>',
      'adagents.json or brand.json, - for standard input, or a domain',
      (text: string, before: readonly string[] = []) => [...before, path(text)],
    )
    .addOption(
      new Option(
        '--kind <kind>',
        'kind of file (by default it is detected, and both are checked for a domain)',
      ).choices(proposedKinds),
    )
    .option('--domain <domain>', 'domain that will serve them', domain)
    .option('--strict', 'exit with 2 for warnings, too, but not for recommendations')
    .addOption(
      new Option('--format <format>', 'text, JSON, or annotations for a GitHub workflow')
        .choices(reportFormats)
        .default('text'),
    )
    .action(async (targets, options) =>
      (await import('../commands/validate.ts')).validateTargets(targets, options),
    )
}
