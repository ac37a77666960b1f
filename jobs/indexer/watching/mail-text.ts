import { countThings } from '../../../pipeline/core/counts.ts'
import { outcomes } from '../../../pipeline/core/outcomes.ts'
import { MAIL_CHARS_MAX } from '../../../pipeline/model/live/live-request.ts'
import type { StoredWatch } from '../../../pipeline/model/watch.ts'
import type { ChangesOfWatch, WatchedChange } from '../../../pipeline/model/watched-change.ts'
import { clip, formatTime, NAME_CHARS_MAX } from './mail-words.ts'

/** Watches that are named in one mail, and lines about each; the pages have all. */
const WATCHES_MAX = 40
const LINES_MAX = 100
/** Length of what is said of all watches; the rest is for the links below it. */
const PARTS_CHARS_MAX = MAIL_CHARS_MAX - 4 * 1_024
const SUBJECT_CHARS_MAX = 150

/** A mail as its person reads it. */
interface WatchMail {
  subject: string
  text: string
}

interface Place {
  /** Public address of the registry. */
  base: string
  /** Address of the page that ends what the mail is about. */
  end: string
}

/** Writes the mail about one watch, or about all whose changes come once a day. */
export function writeMail(found: readonly ChangesOfWatch[], { base, end }: Place): WatchMail {
  const { host } = new URL(base)
  const [only] = found
  const isSingle = found.length === 1 && only !== undefined
  const name = isSingle ? toShownName(only.watch.subject) : ''
  const isDaily = found.some(({ watch }) => watch.pace === 'daily')
  const named = found.slice(0, WATCHES_MAX)
  const lines = Math.ceil(LINES_MAX / named.length)
  const parts = listFitting(named.map(each => writePart(each, { base, lines })))
  const left = found.length - parts.length
  const text = [
    ...parts,
    ...(left > 0 ? [`${countThings(left, 'more thing')} you watch changed.`] : []),
    '-- ',
    isDaily
      ? `You’re receiving this email, at most once a day, because something you watch at ${host} changed.`
      : `You’re receiving this email because you watch ${name} at ${host}.`,
    `${isDaily ? 'Stop these daily emails' : `Stop watching ${name}`}: ${end}`,
    `Everything you watch: ${base}/dashboard/watches`,
  ].join('\n\n')
  const subject = isSingle ? writeSubject(only) : writeDailySubject(found)
  return { subject: clip(subject, SUBJECT_CHARS_MAX), text }
}

/** Lists the parts that fit into a mail: an escaped address can be several thousand characters long. */
function listFitting(parts: string[]): string[] {
  let length = 0
  const end = parts.findIndex(part => {
    length += part.length
    return length > PARTS_CHARS_MAX
  })
  return end === -1 ? parts : parts.slice(0, end)
}

function writeSubject({ watch, changes }: ChangesOfWatch): string {
  const [first] = changes
  if (changes.length === 1 && first !== undefined) return writeHeadline(first, watch)
  const kinds = new Set(changes.map(({ what }) => what))
  const [kind] = kinds
  const name = toShownName(watch.subject)
  if (kinds.size === 1 && kind !== undefined && kind in countedHeadlines) {
    return countedHeadlines[kind as keyof typeof countedHeadlines](name, changes.length)
  }
  return `${name}: ${countThings(changes.length, 'change')}`
}

function writeDailySubject(found: readonly ChangesOfWatch[]): string {
  const changes = found.reduce((sum, { changes }) => sum + changes.length, 0)
  const names = found.slice(0, 2).map(({ watch }) => toShownName(watch.subject))
  const more = found.length - names.length
  const all = more > 0 ? `${names.join(', ')} and ${more} more` : names.join(' and ')
  return `${countThings(changes, 'change')} at ${all}`
}

/** Headlines of several changes of one kind. */
const countedHeadlines = {
  agent_gained: (name: string, count: number) => `${name} now authorizes ${count} more agents`,
  agent_lost: (name: string, count: number) => `${name} no longer authorizes ${count} agents`,
  publisher_gained: (name: string, count: number) => `${count} publishers now authorize ${name}`,
  publisher_lost: (name: string, count: number) =>
    `${count} publishers no longer authorize ${name}`,
  claimed: (name: string, count: number) => `${count} agents claim to sell ads on ${name}`,
  lookalike: (name: string, count: number) =>
    `Possible impersonation: ${count} domains that resemble ${name} were added`,
} as const

/** Writes what happened as a sentence without its full stop. */
function writeHeadline(change: WatchedChange, { subject }: Pick<StoredWatch, 'subject'>): string {
  const name = toShownName(subject)
  switch (change.what) {
    case 'file_broken':
      return `The ${change.file} of ${name} can no longer be used`
    case 'file_valid':
      return change.isFirst
        ? `${name} now has ${change.file}`
        : `The ${change.file} of ${name} is valid again`
    case 'hosted_started':
      return `${nameEditor(change)} set up a hosted ${change.file} for ${name}`
    case 'hosted_changed':
      return `${nameEditor(change)} edited the hosted ${change.file} of ${name}`
    case 'hosted_stopped':
      return `${nameEditor(change)} stopped hosting the ${change.file} of ${name}`
    case 'agent_gained':
      return `${name} now authorizes ${toShownName(change.agent)}`
    case 'agent_lost':
      return `${name} no longer authorizes ${toShownName(change.agent)}`
    case 'publisher_gained':
      return `${change.domain} now authorizes ${name}`
    case 'publisher_lost':
      return `${change.domain} no longer authorizes ${name}`
    case 'claimed':
      return `${toShownName(change.agent)} claims to sell ads on ${name}`
    case 'lookalike':
      return `Possible impersonation: someone added ${change.domain}, which resembles ${name}`
    case 'tests':
      return `Test results of ${name} changed from ${change.before} to ${change.now}`
    case 'badge_earned':
      return `${name} earned the ${change.role} badge`
    case 'badge_lost':
      return `${name} lost the ${change.role} badge`
  }
}

/** Names who edited a hosted file: an organization, unless it is not known. */
function nameEditor({ editor_name }: { editor_name: string | null }): string {
  return editor_name === null ? 'Someone' : toShownName(editor_name)
}

/** Writes what explains a headline, if it needs explaining. */
function explain(change: WatchedChange): string {
  if (change.what === 'file_broken') {
    const reason = change.outcome === null ? undefined : outcomes[change.outcome].means
    return `${reason === undefined ? '' : `: ${reason}`}. It was last read ${formatTime(change.read_at)}`
  }
  if ('edit_summary' in change)
    return change.what === 'hosted_changed' ? `. ${clip(change.edit_summary, NAME_CHARS_MAX)}` : ''
  return change.what === 'claimed' ? '. A claim alone authorizes nothing' : ''
}

/** Links the page of a look-alike below a headline. */
function linkChange(change: WatchedChange, base: string): string {
  if (change.what !== 'lookalike') return ''
  const page = { kind: change.isBrand ? 'brand' : 'domain', subject: change.domain } as const
  return `\n  ${base}${toPath(page)}`
}

function writePart(
  { watch, changes }: ChangesOfWatch,
  { base, lines: most }: { base: string; lines: number },
): string {
  const lines = changes
    .slice(0, most)
    .map(
      change =>
        `- ${formatTime(change.at)}: ${writeHeadline(change, watch)}${explain(change)}.${linkChange(change, base)}`,
    )
  const left = changes.length - lines.length
  const more = left > 0 ? [`- and ${left} more`] : []
  const part = changes.some(change => 'edit_summary' in change) ? '#history' : ''
  const page = `  ${base}${toPath(watch)}${part}`
  return [toShownName(watch.subject), ...lines, ...more, page].join('\n')
}

function toPath({ kind, subject }: Pick<StoredWatch, 'kind' | 'subject'>): string {
  const page = kind === 'domain' ? 'publisher' : kind
  return `/${page}/${encodeURIComponent(subject)}`
}

function toShownName(subject: string): string {
  return clip(subject.replace(/^https:\/\//, ''), NAME_CHARS_MAX)
}
