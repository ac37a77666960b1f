import { queues, SUBMISSIONS } from '../../jobs/queues.ts'
import { settings } from '../../pipeline/core/config.ts'
import { publicErrors } from '../../pipeline/core/errors.ts'
import { limits } from '../../pipeline/core/limits.ts'
import { tiers } from '../../pipeline/core/membership.ts'
import { outcomes } from '../../pipeline/core/outcomes.ts'
import { eventTypes } from '../../pipeline/model/event.ts'
import { table } from './markdown.ts'

/** Parts of README.md that are derived, each between `<!-- name -->` and `<!-- /name -->`. */
const sections: Record<string, () => string> = {
  settings: () =>
    table(
      ['setting', 'default', 'meaning'],
      Object.entries(settings).map(([name, { shown, means }]) => [
        `\`${name}\``,
        shown ? `\`${shown}\`` : '',
        means,
      ]),
    ),
  limits: () =>
    table(
      ['limit', 'default'],
      Object.entries(limits).map(([name, value]) => [`\`${name}\``, String(value)]),
    ),
  errors: () =>
    table(
      ['status', 'error', 'meaning'],
      Object.entries(publicErrors).map(([name, { status, means }]) => [
        String(status),
        name,
        means,
      ]),
    ),
  tiers: () =>
    table(
      ['tier', 'called', 'API access'],
      Object.entries(tiers).map(([name, { label, apiAccess }]) => [
        `\`${name}\``,
        label,
        apiAccess ? 'yes' : 'no',
      ]),
    ),
  outcomes: () =>
    table(
      ['outcome', 'effect', 'meaning'],
      Object.entries(outcomes).map(([name, { effect, means }]) => [`\`${name}\``, effect, means]),
    ),
  events: () =>
    table(
      ['event', 'meaning'],
      Object.entries(eventTypes).map(([name, { means }]) => [`\`${name}\``, means]),
    ),
  queues: () =>
    table(
      ['queue', 'holds'],
      Object.entries({ ...queues, submissions: SUBMISSIONS }).map(([name, { means }]) => [
        `\`${name}\``,
        means,
      ]),
    ),
}

/** Puts fresh tables into a README; a section that is not marked there is an error. */
export function replaceSections(readme: string): string {
  return Object.entries(sections).reduce((text, [name, render]) => {
    const marked = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`)
    if (!marked.test(text)) throw new Error(`README.md has no place for ${name}`)
    return text.replace(marked, (_, open: string, close: string) => `${open}${render()}\n${close}`)
  }, readme)
}

/** .env.example: every setting with its default, commented out. */
export function environmentExample(): string {
  const lines = Object.entries(settings).map(
    ([name, { shown, means }]) => `# ${means}\n#${name}=${shown}\n`,
  )
  return lines.join('\n')
}
