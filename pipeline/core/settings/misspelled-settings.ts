import { countEdits } from '../edit-distance.ts'
import type { SettingFault } from './setting-faults.ts'

/** Words that only settings of the registry begin with: nothing else on a host has a use for `BRAKE_…`. */
const OWN_WORDS = new Set(['BRAKE', 'BRANDFETCH', 'CRAWL', 'ENRICHMENT', 'FRONTIER', 'RECRAWL'])
/**
 * Edits by which a setting of this length may be misspelled: short ones are as close to names of others, such
 * as `HTTP_URL` to `SMTP_URL`. In `HOST` only swapped letters count, for `HOSTS` may be another's.
 */
const editsByLength: readonly [charsMin: number, edits: number][] = [
  [15, 3],
  [12, 2],
  [6, 1],
]
/** A setting that differs in more than one of so many letters is none that somebody had in mind. */
const FAR_SHARE = 3
/** Names and values of the variables that Kubernetes gives to pods for each service of a namespace. */
const SERVICE_NAME = /_SERVICE_(HOST|PORT)(_|$)|_PORT_\d+_(TCP|UDP|SCTP)/
const SERVICE_ADDRESS = /^(tcp|udp|sctp):\/\//

/**
 * Finds variables that are meant as settings and are none. An environment also holds what other programs
 * read, so only those count that are a few letters away from a setting, or begin with a word that is the
 * registry's own. One with a digit is another program's (`AUTH0_CLIENT_ID`), since no setting has any.
 */
export function findMisspelled(
  env: Readonly<Record<string, string | undefined>>,
  settings: readonly string[],
): SettingFault[] {
  const known = new Set(settings)
  return Object.entries(env).flatMap(([name, value]) => {
    if (!value || known.has(name) || /\d/.test(name) || isServiceLink(name, value)) return []
    const nearest = findNearest(toSettingName(name), settings)
    if (nearest === undefined) return []
    const isFar = nearest.edits * FAR_SHARE > name.length
    const text = `${name} is not a setting${isFar ? '' : `; the nearest is ${nearest.setting}`}.`
    return [{ about: [nearest.setting], text }]
  })
}

function isServiceLink(name: string, value: string): boolean {
  return SERVICE_NAME.test(name) || SERVICE_ADDRESS.test(value)
}

/** Writes a name as settings are: `base-url` is meant as BASE_URL. */
function toSettingName(name: string): string {
  return name.toUpperCase().replace(/[-.]/g, '_')
}

function findNearest(name: string, settings: readonly string[]) {
  const word = takeFirstWord(name)
  const near = settings.flatMap(setting => {
    const isSibling = OWN_WORDS.has(word) && takeFirstWord(setting) === word
    // Each start compares all variables with all settings, most of which differ in length alone.
    const isNear = Math.abs(setting.length - name.length) <= countAllowedEdits(setting)
    if (!isSibling && !isNear) return []
    const edits = countEdits(name, setting)
    return isSibling || isMisspelling(name, setting, edits) ? [{ setting, edits }] : []
  })
  return near.toSorted((a, b) => a.edits - b.edits)[0]
}

function takeFirstWord(name: string): string {
  return name.split('_', 1)[0] ?? ''
}

function isMisspelling(name: string, setting: string, edits: number): boolean {
  const allowed = countAllowedEdits(setting)
  if (allowed > 0) return edits <= allowed
  return edits <= 1 && sortLetters(name) === sortLetters(setting)
}

function countAllowedEdits({ length }: string): number {
  return editsByLength.find(([charsMin]) => length >= charsMin)?.[1] ?? 0
}

function sortLetters(text: string): string {
  return [...text].toSorted().join('')
}
