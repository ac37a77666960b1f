/** Field of a form or an address that names the page to go on with. */
export const BACK = 'back'

/** Page on which a crawl is requested; below it is the progress of each. */
export const CRAWL_PATH = '/dashboard/crawl'

/** Page on which people see what they watch, and begin to watch something. */
export const WATCHES_PATH = '/dashboard/watches'

const VALUE = '[\\w.~%+*-]{1,2000}'
/** Pages of the dashboard that a sign-in or a form may lead back to. */
const pages: readonly RegExp[] = [
  /^\/dashboard\/join\?token=[\w-]{43}$/,
  /^\/dashboard\/(?:access|passkeys|reviews|usage)$/,
  /^\/dashboard\/crawl\/[\da-f-]{36}$/,
  new RegExp(`^/dashboard/(?:agents|crawl|publish|verify)(?:\\?(?:domain|url)=${VALUE})?$`),
  new RegExp(`^${WATCHES_PATH}(?:\\?(?:domain|brand|agent)=${VALUE})?$`),
  new RegExp(`^/dashboard/org/[\\w-]{1,64}(?:/[a-z]{1,20}(?:\\?(?:domain|url)=${VALUE})?)?$`),
]

/** Parses the path of a page to go back to; undefined for every other address. */
export function parseWayBack(path: unknown): string | undefined {
  return typeof path === 'string' && pages.some(page => page.test(path)) ? path : undefined
}

/** Endings of “Sign in to …”, by the page that a person wanted; a name is the domain or address in its query. */
const purposes: readonly (readonly [
  path: RegExp,
  describe: (name: string, invited?: string) => string,
])[] = [
  [/^\/publish/, name => `host your file${name && ` for ${name}`}. Your draft is kept`],
  [/^\/verify/, name => `verify ${name || 'a domain'}`],
  [/^\/crawl/, name => `crawl ${name || 'a domain'}`],
  [/^\/agents/, () => 'add an agent'],
  [/^\/watches\?/, name => `watch ${name}`],
  [
    /^\/join/,
    (_, invited) =>
      `accept your invitation, with the address that it was sent to${invited === undefined ? '' : `: ${invited}`}`,
  ],
]

/**
 * Describes what a person who signs in wants to do, by the page to go on with, and the address that an invitation is
 * for; empty for the dashboard itself.
 */
export function describePurpose(path: string | undefined, invited?: string): string {
  const asked = path === undefined ? undefined : new URL(path, 'http://_')
  const [name = ''] = asked?.searchParams.values() ?? []
  const page = asked === undefined ? '' : (asked.pathname + asked.search).slice('/dashboard'.length)
  const found = purposes.find(([pattern]) => pattern.test(page))
  return found?.[1](name, invited) ?? ''
}
