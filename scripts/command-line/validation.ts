import { type Command, Option } from 'commander'
import { proposedKinds } from '../../pipeline/parse/check-file.ts'
import { reportFormats } from '../commands/validate.ts'
import { domain, path } from './values.ts'

/** Adds the command that checks files before they are served. It needs no stores and no network. */
export function addValidation(program: Command): void {
  program
    .command('validate')
    .description(
      'check files before they are served; exit 2 if one has errors, 1 if it cannot be read',
    )
    .argument(
      '<files...>',
      'adagents.json or brand.json; - for standard input',
      (text: string, before: readonly string[] = []) => [...before, path(text)],
    )
    .addOption(
      new Option('--kind <kind>', 'kind of the files; by default as they look').choices(
        proposedKinds,
      ),
    )
    .option('--domain <domain>', 'domain that will serve them', domain)
    .option('--strict', 'exit 2 for warnings, too')
    .addOption(
      new Option('--format <format>', 'lines for people, JSON, or annotations of a workflow')
        .choices(reportFormats)
        .default('text'),
    )
    .action(async (files, options) =>
      (await import('../commands/validate.ts')).validateFiles(files, options),
    )
}
